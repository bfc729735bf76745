import { PublicError, type Violation } from '../errors/public-error.ts';
import { MAX_VIOLATIONS } from '../validation/violations.ts';

/** The operation that creates each level. */
const PATHS = {
  application: 'POST /v1/supplier-submissions',
  basic: 'POST /v2/supplier-submissions',
} as const;

/**
 * Validates the body of a create. When its level does not fit the path, most other violations follow from that, so the
 * level's violation comes first and names the path of the other level. Implements docs/contract.md, section 2.
 */
export function levelFirst<Body>(
  level: keyof typeof PATHS,
  validate: (value: unknown) => Body,
): typeof validate {
  const other = level === 'basic' ? 'application' : 'basic';
  const message = `Send ${other} enquiries to ${PATHS[other]}.`;
  const misfit = { path: 'level', message: `must be ${level} here. ${message}` };
  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      if (!isObject(value) || value.level === level || !isValidationError(error)) throw error;
      const first = value.level === undefined ? MISSING : misfit;
      const others = error.details.filter(({ path }) => path !== 'level');
      throw new PublicError('validation_error', {
        message: value.level === other ? message : undefined,
        details: [first, ...others].slice(0, MAX_VIOLATIONS),
      });
    }
  };
}

const MISSING: Violation = { path: 'level', message: 'is required' };

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isValidationError(error: unknown): error is PublicError & { details: readonly Violation[] } {
  return error instanceof PublicError && error.code === 'validation_error' && Array.isArray(error.details);
}
