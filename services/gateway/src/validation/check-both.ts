import { type ErrorDetails, PublicError, type Violation } from '../errors/public-error.ts';
import { MAX_VIOLATIONS } from './violations.ts';

/**
 * Returns the results of two checks of one request. If both fail, one validation_error lists the violations of the
 * first and then of the second. Any other error is rethrown immediately. Implements docs/contract.md, section 8.
 */
export function checkBoth<First, Second>(first: () => First, second: () => Second): [First, Second] {
  let one: First;
  try {
    one = first();
  } catch (error) {
    throw joined(violationsIn(error), violationsOf(second));
  }
  return [one, second()];
}

function joined(first: readonly Violation[], second: readonly Violation[]): PublicError {
  return new PublicError('validation_error', { details: [...first, ...second].slice(0, MAX_VIOLATIONS) });
}

function violationsOf(check: () => unknown): readonly Violation[] {
  try {
    check();
    return [];
  } catch (error) {
    return violationsIn(error);
  }
}

function violationsIn(error: unknown): readonly Violation[] {
  if (error instanceof PublicError && error.code === 'validation_error' && isList(error.details)) {
    return error.details;
  }
  throw error;
}

function isList(details: ErrorDetails | undefined): details is readonly Violation[] {
  return Array.isArray(details);
}
