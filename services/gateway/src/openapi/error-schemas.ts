import Type from 'typebox';
import { ERROR_TABLE, type PublicCode } from '../errors/error-table.ts';
import { MAX_BODY_BYTES } from '../plugins/json-body.ts';
import { closed, uuid } from '../validation/field-types.ts';
import { MAX_VIOLATIONS } from '../validation/violations.ts';
import { APPLICATION_REFERENCE, SUBMISSION_ID } from './samples.ts';

const { Literal, Optional } = Type;

const message = () => Type.String({ minLength: 1, maxLength: 200 });

/** When a supplier gets each code, and what to do about it. */
export const ERROR_ADVICE: Readonly<Record<PublicCode, string>> = {
  bad_request:
    'The request cannot be read: it is not JSON, repeats a key, is empty, has another content type, or lacks a query parameter. Correct the program; repeating the request changes nothing.',
  unauthorized:
    'There is no credential, or none that is valid in this environment. Check it before trying again: addresses that fail often are held back.',
  forbidden:
    'The credential is good, but may not do this. Ask for the scope, or for your account to be reinstated.',
  not_found: 'Your account has nothing under this id, reference or path.',
  external_reference_conflict:
    'The reference is taken by a submission with another body. Read that one, and give the new enquiry a reference of its own.',
  revision_conflict:
    'Somebody corrected the contact in the meantime. Look at the current contact, then send the correction with the revision in the details.',
  idempotency_conflict:
    'The key was used for another request. A repeated request must be identical; a new one needs a new key.',
  concurrent_promotion:
    'The submission has its Application already, or is getting it from another promotion. Read the submission.',
  payload_too_large: 'The body, or the file that is announced, is larger than the details allow.',
  validation_error:
    'The request is readable, but fields are missing, unknown or not valid, or the submission is not in a state that allows it. The details name every field. Correct them and send again.',
  rate_limited: 'Too many requests. Wait for the seconds in Retry-After.',
  service_unavailable:
    'The service cannot answer for the moment. Whether the request was recorded is not certain: wait for the seconds in Retry-After and send the identical one again.',
};

/** Schema of `details` for the codes that have any. */
const DETAILS: Partial<Readonly<Record<PublicCode, Type.TSchema>>> = {
  external_reference_conflict: closed({ submission_id: uuid() }),
  revision_conflict: closed({ current_revision: Type.Integer({ minimum: 0 }) }),
  concurrent_promotion: closed({ application_reference: Type.String() }),
  payload_too_large: closed({ max_bytes: Type.Integer({ minimum: 1 }) }),
  validation_error: Type.Array(closed({ path: Type.String(), message: message() }), {
    minItems: 1,
    maxItems: MAX_VIOLATIONS,
  }),
};

const EXAMPLE_DETAILS: Partial<Readonly<Record<PublicCode, unknown>>> = {
  external_reference_conflict: { submission_id: SUBMISSION_ID },
  revision_conflict: { current_revision: 2 },
  concurrent_promotion: { application_reference: APPLICATION_REFERENCE },
  payload_too_large: { max_bytes: MAX_BODY_BYTES },
  validation_error: [
    { path: 'funding_amount', message: 'must be at least 1000' },
    { path: 'home_address.postcode', message: 'is required' },
  ],
};

/** Returns the schema of the error object for one code. Implements docs/contract.md, section 8. */
export function errorSchema(code: PublicCode): Type.TSchema {
  const details = DETAILS[code];
  return closed({
    error: closed({
      code: Literal(code),
      message: message(),
      ...(details ? { details: Optional(details) } : {}),
    }),
  });
}

export function errorExample(code: PublicCode): unknown {
  const details = EXAMPLE_DETAILS[code];
  return {
    error: { code, message: ERROR_TABLE[code].message, ...(details === undefined ? {} : { details }) },
  };
}

/** Converts `bad_request` to `BadRequest`. */
export function errorName(code: PublicCode): string {
  return code.replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase());
}
