import type { JsonSchema } from './document-types.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';

/** Whose schema it is: of what a supplier sends, or of what the service sends. */
export type Direction = 'request' | 'answer';

const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$';

/** The formats of the validator, in terms that any reader of JSON Schema knows. */
const FORMATS: Readonly<Record<string, JsonSchema>> = {
  'utc-timestamp': { format: 'date-time', pattern: TIMESTAMP },
  'calendar-date': { format: 'date' },
  'calendar-month': { pattern: '^\\d{4}-(0[1-9]|1[0-2])$' },
};

/** Where a request differs: clients that know the format `date-time` may write `+00:00`, which is refused. */
const REQUEST_FORMATS: typeof FORMATS = { ...FORMATS, 'utc-timestamp': { pattern: TIMESTAMP } };

/**
 * Text without NUL and without half of a surrogate pair. No pattern for the second means the same in every engine, and
 * some refuse to compile one, so it stands in a keyword that validators read and generators pass over.
 */
export const STORABLE_TEXT: JsonSchema = {
  pattern: '^[^\\x00]*$',
  not: {
    pattern: '(^|[^\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]|[\\uD800-\\uDBFF]([^\\uDC00-\\uDFFF]|$)',
  },
};

/** Keywords whose value holds schemas. */
const BRANCHES = ['anyOf', 'oneOf'] as const;

/**
 * A schema of the validator as JSON Schema 2020-12: formats in known terms, a description for every field, literals and
 * nullable texts in their short form, and the rule on text in terms that generators can read.
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
      // In a rule over several fields a field stands without a shape of its own.
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

/** `anyOf` a text and null, as one schema of two types. */
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
