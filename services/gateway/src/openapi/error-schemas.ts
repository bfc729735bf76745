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
    'The request cannot be read: it is not JSON, repeats a key, is empty, has another content type, or lacks a query parameter. Fix your program. Sending the same request again does not help.',
  unauthorized:
    'The credential is missing, or invalid in this environment. Check it before you try again, because repeated failures are rate limited.',
  forbidden:
    'The credential is valid, but lacks permission. Ask us for the scope, or to reinstate your account.',
  not_found: 'Your account has nothing with this id, reference or path.',
  external_reference_conflict:
    'Another submission with a different body has this reference. Read that submission, and give the new enquiry a new reference.',
  revision_conflict:
    'Someone else has corrected the contact in the meantime. Check the current contact, then send your correction with the revision in the details.',
  idempotency_conflict:
    'The key was used for a different request. Send exactly the same request again, or use a new key for a new request.',
  concurrent_promotion:
    'The submission already has an Application, or another promotion is creating it. Read the submission.',
  payload_too_large: 'The body, or the file in an upload request, is larger than the limit in the details.',
  validation_error:
    'Fields are missing, unknown or invalid, or the state of the submission does not allow the request. The details name every field. Correct them and send the request again.',
  rate_limited: 'Too many requests. Wait for the number of seconds in Retry-After.',
  service_unavailable:
    'The service is temporarily unavailable. The request may have been recorded. Wait for the number of seconds in Retry-After, then send the same request again.',
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
