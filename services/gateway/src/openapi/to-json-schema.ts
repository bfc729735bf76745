import type { JsonSchema } from './document-types.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';

/** The formats of the validator, in terms that any reader of JSON Schema knows. */
const FORMATS: Readonly<Record<string, JsonSchema>> = {
  'utc-timestamp': {
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$',
  },
  'calendar-date': { format: 'date' },
  'calendar-month': { pattern: '^\\d{4}-(0[1-9]|1[0-2])$' },
};

/** Keywords whose value holds schemas. */
const BRANCHES = ['anyOf', 'oneOf'] as const;

/**
 * A schema of the validator as JSON Schema 2020-12: formats in known terms, a description for every field, literals and
 * nullable texts in their short form. The rule that texts hold neither NUL nor half a surrogate pair is left to the
 * document's introduction, because few generators can read its pattern.
 */
export function toJsonSchema(schema: object): JsonSchema {
  const { format, pattern: _storable, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  const known = format === undefined ? {} : (FORMATS[format] ?? { format });
  const typed = rest.enum && rest.type === undefined ? { type: 'string', ...rest } : rest;
  return nullable({
    ...typed,
    ...known,
    ...(rest.items ? { items: toJsonSchema(rest.items) } : {}),
    ...(rest.properties ? { properties: described(rest.properties) } : {}),
    ...branches(rest),
  });
}

function described(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      // In a rule over several fields a field stands without a shape of its own.
      const isField = Object.keys(schema).length > 0;
      const description = schema.description ?? (isField ? FIELD_DESCRIPTIONS[name] : undefined);
      return [name, { ...(description === undefined ? {} : { description }), ...toJsonSchema(schema) }];
    }),
  );
}

function branches(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    BRANCHES.flatMap((keyword) => {
      const alternatives = schema[keyword];
      return alternatives ? [[keyword, alternatives.map(toJsonSchema)]] : [];
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
