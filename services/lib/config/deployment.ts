import { z } from 'zod';

/** Marks a process of a local stack. Whoever runs the service for anybody else leaves it out. */
export const DEPLOYMENT = 'SSS_DEPLOYMENT';
export const deployment = () => z.literal('local', 'is not local').optional();

/** What is loosened by a value, as the rest of a sentence that begins with the variable's name. */
export type Loosening<Value> = (value: Value, all: Readonly<Record<string, unknown>>) => string | undefined;

const loosenings = new WeakMap<object, Loosening<never>>();

/**
 * Declares which values of a variable only a local deployment may have: those for which `loosening` returns what they
 * loosen (`is an http: address`). It is given the parsed value, defaults included, and all the others. Of a schema
 * that is made optional or given a default afterwards, it is asked only about values that are set.
 */
export function loosened<Schema extends z.ZodType>(
  schema: Schema,
  loosening: Loosening<z.infer<Schema>>,
): Schema {
  loosenings.set(schema, loosening);
  return schema;
}

/** A line for each thing that only a local deployment may have as it is. */
export function looseSettings(shape: z.ZodRawShape, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(shape).flatMap(([name, schema]) =>
    looseningsOf(schema).flatMap((loosening) => {
      const what = loosening(values[name] as never, values);
      return what === undefined ? [] : [onlyLocal(`${name} ${what}`)];
    }),
  );
}

/** Refuses, in one line, what the beginning of it says. */
export function onlyLocal(what: string): string {
  return `${what}, which ${DEPLOYMENT}=local alone permits`;
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
