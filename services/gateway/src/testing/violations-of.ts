import { PublicError, type Violation } from '../errors/public-error.ts';

/** Returns the violations that a validator reports for a value; empty if the value is valid. */
export function violationsOf(validate: (value: unknown) => unknown, value: unknown): Violation[] {
  try {
    validate(value);
    return [];
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== 'validation_error') throw error;
    return error.details as Violation[];
  }
}

/** Returns the paths of the violations, sorted. */
export function pathsAgainst(validate: (value: unknown) => unknown, value: unknown): string[] {
  return violationsOf(validate, value)
    .map(({ path }) => path)
    .sort();
}
