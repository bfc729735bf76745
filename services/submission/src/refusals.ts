import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';

/** Returns the same error for an unknown submission and for another supplier's. */
export function submissionNotFound() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
}

/**
 * The operation does not apply to the submission in the path, so the violation names its id, as for a malformed one.
 */
export function refuseSubmission(message: string) {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The operation is not possible for this submission.', {
    violations: [{ path: 'submission_id', message }],
  });
}

/** The key has been used with a different body or for a different submission. */
export function idempotencyConflict() {
  return refuse(
    RefusalCode.IDEMPOTENCY_CONFLICT,
    'This operation_idempotency_key has been used with a different request.',
  );
}

export function journeyLinkNotFound() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such link.');
}
