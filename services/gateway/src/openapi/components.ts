import { ERROR_TABLE, type PublicCode } from '../errors/error-table.ts';
import type { JsonSchema, Response } from './document-types.ts';
import { ERROR_ADVICE, errorExample, errorName, errorSchema } from './error-schemas.ts';
import { headersOf } from './headers.ts';
import { type Direction, toJsonSchema } from './to-json-schema.ts';

const SCHEMAS = '#/components/schemas/';

/** Schema names of objects whose field name is too general. */
const NAMES: Readonly<Record<string, string>> = { data: 'SubmissionStatus', return: 'SubmissionReturn' };

/** Named schemas of a document, collected while it is written. */
export interface Components {
  /** Adds a schema and every object inside it to the named ones; returns a reference to it. */
  schema(name: string, schema: object, direction: Direction): JsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

export function gatherComponents(): Components {
  const schemas: Record<string, JsonSchema> = {};

  /** The first shape with a name takes it; any other shape is written inline. */
  const named = (name: string, { description, ...shape }: JsonSchema): JsonSchema => {
    const known = schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(shape))
      return { description, ...shape } as JsonSchema;
    schemas[name] = shape;
    return { ...(description === undefined ? {} : { description }), $ref: `${SCHEMAS}${name}` };
  };

  const hoistInside = (schema: JsonSchema): JsonSchema => {
    if (!schema.properties) return schema;
    const properties = Object.entries(schema.properties).map(([name, field]): [string, JsonSchema] => {
      const inner = hoistInside(field);
      return [name, inner.properties ? named(NAMES[name] ?? pascalCase(name), inner) : inner];
    });
    return { ...schema, properties: Object.fromEntries(properties) };
  };

  return {
    schemas,
    schema: (name, schema, direction) => named(name, hoistInside(toJsonSchema(schema, direction))),
  };
}

/** Converts `home_address` to `HomeAddress`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase());
}

/**
 * Returns the responses, by error name, for codes that do not share their status with another code in any of
 * `operations`.
 */
export function errorResponses(operations: object): Record<string, Response> {
  const written = JSON.stringify(operations);
  const used = errorCodes().filter((code) => written.includes(`"${responseRef(code)}"`));
  return Object.fromEntries(used.map((code) => [errorName(code), errorResponse([code])]));
}

/** Returns the reference to the response of a code that shares its status with no other. */
export const responseRef = (code: PublicCode) => `#/components/responses/${errorName(code)}`;

/** Returns the schemas of all errors, under names that end in Error. */
export function errorSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    errorCodes().map((code) => [schemaName(code), toJsonSchema(errorSchema(code), 'answer')]),
  );
}

/** Returns the response for codes that share a status, with an example of each. */
export function errorResponse(codes: readonly PublicCode[]): Response {
  const refs = codes.map((code) => ({ $ref: `${SCHEMAS}${schemaName(code)}` }));
  const [first] = refs;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_ADVICE[code]}`).join('\n\n'),
    headers: headersOf(codes),
    content: {
      'application/json': {
        schema: refs.length === 1 && first ? first : { oneOf: refs },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: ERROR_TABLE[code].message, value: errorExample(code) }]),
        ),
      },
    },
  };
}

export function errorCodes(): PublicCode[] {
  return Object.keys(ERROR_TABLE).filter((code): code is PublicCode => code in ERROR_TABLE);
}

/** Converts `bad_request` to `BadRequestError` and `validation_error` to `ValidationError`. */
const schemaName = (code: PublicCode) => `${errorName(code).replace(/Error$/, '')}Error`;
