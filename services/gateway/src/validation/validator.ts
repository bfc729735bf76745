import { isUuid } from '@supplier/lib/text/ids';
import { isCalendarDate, isCalendarMonth, parseTimestamp } from '@supplier/lib/text/time';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { PublicError } from '../errors/public-error.ts';
import { toViolations } from './violations.ts';

/** Returns its argument, typed, if it fits the schema; throws a validation_error that lists the violations. */
export type Validator<Schema extends TSchema> = (value: unknown) => Static<Schema>;

/** Validators by schema text, shared by everything built from the same settings, such as each app in a test. */
const compiled = new Map<string, ValidateFunction>();

/**
 * Compiles a schema once per process. Nothing is coerced, defaulted or removed: the value is returned unchanged.
 * Lengths count Unicode code points. Implements docs/contract.md, section 1.
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
