import { isUuid } from '@supplier/lib/ids';
import { isCalendarDate, isCalendarMonth, parseTimestamp } from '@supplier/lib/time';
import { Ajv } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { PublicError } from '../errors/public-error.ts';
import { toViolations } from './violations.ts';

/** Returns its argument, typed, when it fits the schema; throws a validation_error that lists what does not. */
export type Validator<Schema extends TSchema> = (value: unknown) => Static<Schema>;

/**
 * Compiles a schema once. Nothing is coerced, filled in or left out: the value that comes back is the value that went
 * in. Lengths count Unicode code points. Implements docs/contract.md, section 1.
 */
export function compileValidator<Schema extends TSchema>(schema: Schema): Validator<Schema> {
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
  const fits = ajv.compile<Static<Schema>>(schema);
  return (value) => {
    if (fits(value)) return value;
    throw new PublicError('validation_error', { details: toViolations(fits.errors ?? []) });
  };
}
