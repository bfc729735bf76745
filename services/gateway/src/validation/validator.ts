import { isUuid } from '@supplier/lib/text/ids';
import { isCalendarDate, isCalendarMonth, parseTimestamp } from '@supplier/lib/text/time';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { PublicError } from '../errors/public-error.ts';
import { toViolations } from './violations.ts';

/** Returns its argument, typed, when it fits the schema; throws a validation_error that lists what does not. */
export type Validator<Schema extends TSchema> = (value: unknown) => Static<Schema>;

/** By the text of their schemas. What is built from the same settings, such as each app of a test, shares them. */
const compiled = new Map<string, ValidateFunction>();

/**
 * Compiles a schema once in a process. Nothing is coerced, filled in or left out: the value that comes back is the value
 * that went in. Lengths count Unicode code points. Implements docs/contract.md, section 1.
 */
export function compileValidator<Schema extends TSchema>(schema: Schema): Validator<Schema> {
  const text = JSON.stringify(schema);
  const fits = (compiled.get(text) ?? compile(schema)) as ValidateFunction<Static<Schema>>;
  compiled.set(text, fits);
  return (value) => {
    if (fits(value)) return value;
    throw new PublicError('validation_error', { details: toViolations(fits.errors ?? []) });
  };
}

function compile(schema: TSchema): ValidateFunction {
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    verbose: true,
    messages: false,
    formats: {
      'utc-timestamp': (text: string) => parseTimestamp(text) !== undefined,
      'calendar-date': isCalendarDate,
      'calendar-month': isCalendarMonth,
      uuid: isUuid,
    },
  });
  return ajv.compile(schema);
}
