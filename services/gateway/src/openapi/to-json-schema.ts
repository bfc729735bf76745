import type { JsonSchema } from './document-types.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';

/** Whether a schema describes what a supplier sends or what the service sends. */
export type Direction = 'request' | 'answer';

const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$';

/** Standard JSON Schema equivalents of the validator's formats. */
const FORMATS: Readonly<Record<string, JsonSchema>> = {
  'utc-timestamp': { format: 'date-time', pattern: TIMESTAMP },
  'calendar-date': { format: 'date' },
  'calendar-month': { pattern: '^\\d{4}-(0[1-9]|1[0-2])$' },
};

/** Requests omit `date-time`: clients that know the format can write `+00:00`, which is refused. */
const REQUEST_FORMATS: typeof FORMATS = { ...FORMATS, 'utc-timestamp': { pattern: TIMESTAMP } };

/**
 * Text without NUL and without unpaired surrogates. No pattern for surrogates means the same in every engine, and some
 * engines refuse to compile one, so it is in a keyword that validators read and generators ignore.
 */
export const STORABLE_TEXT: JsonSchema = {
  pattern: '^[^\\x00]*$',
  not: {
    pattern: '(^|[^\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]|[\\uD800-\\uDBFF]([^\\uDC00-\\uDFFF]|$)',
  },
};

/** Keywords whose value contains schemas. */
const BRANCHES = ['anyOf', 'oneOf'] as const;

/**
 * Converts a validator schema to JSON Schema 2020-12: with standard formats, a description for every field, literals
 * and nullable texts in their short form, and the text rule in terms that generators can read.
 */
export function toJsonSchema(schema: object, direction: Direction): JsonSchema {
  const { format, pattern, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  const formats = direction === 'request' ? REQUEST_FORMATS : FORMATS;
  const known = format === undefined ? {} : (formats[format] ?? { format });
  const storable = pattern !== undefined && direction === 'request' ? STORABLE_TEXT : {};
  const typed = rest.enum && rest.type === undefined ? { type: 'string', ...rest } : rest;
  return nullable({
    ...typed,
    ...known,
    ...storable,
    ...(rest.items ? { items: toJsonSchema(rest.items, direction) } : {}),
    ...(rest.properties ? { properties: described(rest.properties, direction) } : {}),
    ...branches(rest, direction),
  });
}

function described(
  properties: Readonly<Record<string, JsonSchema>>,
  direction: Direction,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      // In a rule over several fields, a field has no shape.
      const isField = Object.keys(schema).length > 0;
      const description = schema.description ?? (isField ? FIELD_DESCRIPTIONS[name] : undefined);
      return [
        name,
        { ...(description === undefined ? {} : { description }), ...toJsonSchema(schema, direction) },
      ];
    }),
  );
}

function branches(schema: JsonSchema, direction: Direction): JsonSchema {
  return Object.fromEntries(
    BRANCHES.flatMap((keyword) => {
      const alternatives = schema[keyword];
      return alternatives ? [[keyword, alternatives.map((one) => toJsonSchema(one, direction))]] : [];
    }),
  );
}

/** Merges `anyOf` of a text and null into one schema with two types. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [first, second] = anyOf ?? [];
  if (anyOf?.length !== 2 || !first || second?.type !== 'null' || typeof first.type !== 'string')
    return schema;
  return {
    ...rest,
    ...first,
    type: [first.type, 'null'],
    ...(first.enum ? { enum: [...first.enum, null] } : {}),
  };
}
