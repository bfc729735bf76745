import type { ErrorObject } from 'ajv';
import type { Violation } from '../errors/public-error.ts';

/** Maximum number of violations in one response. */
export const MAX_VIOLATIONS = 50;
/** Maximum length of a path in characters: the sender chooses the names of unknown properties. */
const MAX_PATH = 128;
/** Keywords that only summarise a failed keyword inside them, which is reported separately. */
const SUMMARIES = new Set(['anyOf', 'if']);

/**
 * Converts ajv errors to the public contract's violations: dotted paths of the contract's field names, plain English,
 * no submitted values. A value of the wrong type is a single violation, even if it also breaks other rules. If one of
 * several fields is required, each of them is named; the failure of a rule over several fields is not reported
 * separately. Implements docs/contract.md, section 8.
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

/** Names the missing or unknown property itself, not the object around it. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const names = instancePath.split('/').slice(1);
  if (keyword === 'required') names.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') names.push(String(params.additionalProperty));
  return shorten(names.join('.'));
}

function shorten(path: string): string {
  const wellFormed = path.toWellFormed();
  if (wellFormed.length <= MAX_PATH) return wellFormed;
  // A cut through a surrogate pair leaves half of it.
  return wellFormed.slice(0, MAX_PATH).replace(/\p{Cs}$/u, '');
}

function messageOf({ keyword, params, schema, schemaPath }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return schemaPath.includes('/anyOf/') ? 'is required, or one of its alternatives' : 'is required';
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
      return FORMATS[String(params.format)] ?? 'has the wrong format';
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
  'utc-timestamp': 'must be a valid UTC time, such as 2026-01-31T09:30:00Z',
  'calendar-date': 'must be a valid date, YYYY-MM-DD',
  'calendar-month': 'must be a valid month, YYYY-MM',
  uuid: 'must be a UUID',
};

function counted(count: unknown, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const LONGEST_MESSAGE = 200;

/** Lists the allowed values, without spaces if the message would otherwise be too long. */
function oneOf(values: string[]): string {
  const message = (separator: string) => `must be one of ${values.join(separator)}`;
  const fitting = [', ', ','].map(message).find(({ length }) => length <= LONGEST_MESSAGE);
  return fitting ?? `must be one of the ${values.length} values that the reference lists`;
}
