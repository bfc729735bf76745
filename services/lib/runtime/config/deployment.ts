import { z } from 'zod';

/** Marks a local stack (any loose setting) or a trial install (only local documents). Else unset. */
export const DEPLOYMENT = 'SSS_DEPLOYMENT';
export const deployment = () => z.enum(['local', 'trial'], 'is neither local nor trial').optional();

/** Describes what a value loosens, as the rest of a sentence that begins with the variable's name. */
export type Loosening<Value> = (value: Value, all: Readonly<Record<string, unknown>>) => string | undefined;

const loosenings = new WeakMap<object, Loosening<never>>();

/**
 * Declares which values only a local deployment may have: those for which `loosening` returns a description. It gets
 * the parsed value and all others, but no unset one.
 */
export function loosened<Schema extends z.ZodType>(
  schema: Schema,
  loosening: Loosening<z.infer<Schema>>,
): Schema {
  loosenings.set(schema, loosening);
  return schema;
}

/** Returns a line for each value that only a local deployment may have. */
export function looseSettings(shape: z.ZodRawShape, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(shape).flatMap(([name, schema]) =>
    looseningsOf(schema).flatMap((loosening) => {
      const what = loosening(values[name] as never, values);
      return what === undefined ? [] : [onlyLocal(`${name} ${what}`)];
    }),
  );
}

export function onlyLocal(what: string): string {
  return `${what}, which requires ${DEPLOYMENT}=local`;
}

function looseningsOf(schema: z.core.$ZodType): Loosening<never>[] {
  const own = loosenings.get(schema);
  const { def } = schema._zod;
  const inner = 'innerType' in def ? looseningsOf(def.innerType as z.core.$ZodType) : [];
  const ofSet = inner.map(
    (loosening): Loosening<never> =>
      (value, all) =>
        value === undefined ? undefined : loosening(value, all),
  );
  return own ? [own, ...ofSet] : ofSet;
}
