import type { DescEnum, EnumShape } from '@bufbuild/protobuf';

const UNSPECIFIED = 'UNSPECIFIED';

/**
 * Creates a reader from public names to the values of a protobuf enum. A public name is the enum name without its
 * prefix, in lower case, with '_' replaced by `separator`. Absent means UNSPECIFIED; a name that validation should have
 * rejected throws.
 */
export function enumReader<Desc extends DescEnum>(
  schema: Desc,
  separator: '-' | '_',
): (name: string | undefined) => EnumShape<Desc> {
  const numbers = new Map<string | undefined, number>([[undefined, 0]]);
  for (const [name, number] of publicNames(schema, separator)) numbers.set(name, number);
  return (name) => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`${schema.typeName}: unknown public name`);
    return number as EnumShape<Desc>;
  };
}

/**
 * Creates a writer from the values of a protobuf enum to their public names, by the rule of `enumReader`. UNSPECIFIED
 * and values of a newer contract throw, so that responses contain only promised values.
 */
export function enumWriter(schema: DescEnum, separator: '-' | '_'): (number: number) => string {
  const names = new Map(publicNames(schema, separator).map(([name, number]) => [number, name]));
  return (number) => {
    const name = names.get(number);
    if (name === undefined) throw new Error(`${schema.typeName}: no public name for ${number}`);
    return name;
  };
}

/** Returns the public names and numbers of an enum's values, without UNSPECIFIED. */
export function publicNames(schema: DescEnum, separator: '-' | '_'): [string, number][] {
  const zero = schema.value[0]?.name ?? '';
  if (!zero.endsWith(UNSPECIFIED)) throw new Error(`${schema.typeName}: no value ${UNSPECIFIED}`);
  const prefix = zero.slice(0, -UNSPECIFIED.length);
  return schema.values
    .filter(({ number }) => number !== 0)
    .map(({ name, number }) => [name.slice(prefix.length).toLowerCase().replaceAll('_', separator), number]);
}
