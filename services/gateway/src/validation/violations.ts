import type { ErrorObject } from 'ajv';
import type { Violation } from '../errors/public-error.ts';

/** The maximum number of violations in one answer. */
export const MAX_VIOLATIONS = 50;
/** The maximum number of characters of a path: the names of unknown properties are the sender's to choose. */
const MAX_PATH = 128;
/** Keywords that only say that another one, which is reported by itself, was broken inside them. */
const SUMMARIES = new Set(['anyOf', 'if']);

/**
 * What ajv found, as the public contract words it: dotted paths in the contract's field names, plain English, no
 * submitted value. A value of the wrong type is one violation, however many rules it breaks on top. Where one of
 * several fields would do, each of them is named; that a rule over several fields failed is not repeated by itself.
 * Implements docs/contract.md, section 8.
 */
export function toViolations(errors: readonly ErrorObject[]): Violation[] {
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map((error) => error.instancePath),
  );
  return errors
    .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
    .filter(({ keyword }) => !SUMMARIES.has(keyword))
    .slice(0, MAX_VIOLATIONS)
    .map((error) => ({ path: pathOf(error), message: messageOf(error) }));
}

/** A missing or an unknown property is named itself, not the object that lacks or has it. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const names = instancePath.split('/').slice(1);
  if (keyword === 'required') names.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') names.push(String(params.additionalProperty));
  return shorten(names.join('.'));
}

function shorten(path: string): string {
  const wellFormed = path.toWellFormed();
  if (wellFormed.length <= MAX_PATH) return wellFormed;
  // A cut through a surrogate pair leaves half of it behind.
  return wellFormed.slice(0, MAX_PATH).replace(/\p{Cs}$/u, '');
}

function messageOf({ keyword, params, schema, schemaPath }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return schemaPath.includes('/anyOf/') ? 'is required, or one of the fields like it' : 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'type':
      return TYPES[String(params.type)] ?? 'has the wrong type';
    case 'minLength':
      return `must have at least ${counted(params.limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${counted(params.limit, 'character')}`;
    case 'minItems':
      return `must have at least ${counted(params.limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${counted(params.limit, 'item')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`;
    case 'enum':
      return oneOf([schema].flat().map(String));
    case 'const':
      return `must be ${schema}`;
    case 'pattern':
      return 'must not contain NUL or an unpaired surrogate';
    case 'format':
      return FORMATS[String(params.format)] ?? 'has the wrong form';
    default:
      return 'is not valid';
  }
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'must be an array',
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  object: 'must be an object',
  string: 'must be text',
};

const FORMATS: Readonly<Record<string, string>> = {
  'utc-timestamp': 'must be an existing time in UTC, such as 2026-01-31T09:30:00Z',
  'calendar-date': 'must be an existing day, YYYY-MM-DD',
  'calendar-month': 'must be an existing month, YYYY-MM',
  uuid: 'must be a UUID',
};

function counted(count: unknown, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const LONGEST_MESSAGE = 200;

/** Names the allowed values, close together where the message could not hold them otherwise. */
function oneOf(values: string[]): string {
  const message = (separator: string) => `must be one of ${values.join(separator)}`;
  const fitting = [', ', ','].map(message).find(({ length }) => length <= LONGEST_MESSAGE);
  return fitting ?? `must be one of the ${values.length} values that the reference lists`;
}
