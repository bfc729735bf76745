import { z } from 'zod';

const descriptions = z.registry<{ readonly what: string }>();
/** Minimum and maximum of whole numbers. */
export const ranges = z.registry<{ readonly min: number; readonly max: number }>();

/** Adds the description of a variable for docs/settings.md: part of a sentence, in Markdown. */
export function setting<Schema extends z.ZodType>(schema: Schema, what: string): Schema {
  descriptions.add(schema, { what });
  return schema;
}

/** A documented variable. */
export interface DescribedSetting {
  readonly name: string;
  readonly what: string;
  readonly range?: { readonly min: number; readonly max: number };
  /** The default; absent for a required variable. */
  readonly standard?: unknown;
}

/** Returns the variables of a process. Throws for one without a description. */
export function describeSettings(shape: Readonly<Record<string, z.ZodType>>): DescribedSetting[] {
  return Object.entries(shape).map(([name, schema]) => {
    const what = descriptions.get(schema)?.what;
    if (what === undefined) throw new Error(`${name} has no description`);
    const range = rangeOf(schema);
    const { success, data } = schema.safeParse(undefined);
    return { name, what, ...(range && { range }), ...(success && { standard: data ?? null }) };
  });
}

function rangeOf(schema: z.core.$ZodType): DescribedSetting['range'] {
  const { def } = schema._zod;
  return (
    ranges.get(schema as z.ZodType) ??
    ('innerType' in def ? rangeOf(def.innerType as z.core.$ZodType) : undefined)
  );
}
