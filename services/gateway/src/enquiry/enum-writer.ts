import type { DescEnum } from '@bufbuild/protobuf';
import { publicNames } from './enum-reader.ts';

/**
 * A writer from the values of a protobuf enum to their public names, by the rule of `enumReader`. UNSPECIFIED and values
 * of a newer contract throw: an answer holds nothing that is not promised.
 */
export function enumWriter(schema: DescEnum, separator: '-' | '_'): (number: number) => string {
  const names = new Map(publicNames(schema, separator).map(([name, number]) => [number, name]));
  return (number) => {
    const name = names.get(number);
    if (name === undefined) throw new Error(`${schema.typeName} has no public name for ${number}`);
    return name;
  };
}
