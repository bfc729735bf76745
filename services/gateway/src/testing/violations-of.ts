import { PublicError, type Violation } from '../errors/public-error.ts';

/** What a validator has against a value; nothing when it lets the value pass. */
export function violationsOf(validate: (value: unknown) => unknown, value: unknown): Violation[] {
  try {
    validate(value);
    return [];
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== 'validation_error') throw error;
    return error.details as Violation[];
  }
}

/** The paths of those violations, sorted. */
export function pathsAgainst(validate: (value: unknown) => unknown, value: unknown): string[] {
  return violationsOf(validate, value)
    .map(({ path }) => path)
    .sort();
}
