import { RefusalCode, refuse } from '@supplier/lib/refusal';

/** The path names a submission that the operation is not for: the violation is of the id, like that of a malformed one. */
export function refuseSubmission(message: string) {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The operation is not possible on this submission.', {
    violations: [{ path: 'submission_id', message }],
  });
}

/** A key that was used with another body or on another submission. */
export function idempotencyConflict() {
  return refuse(
    RefusalCode.IDEMPOTENCY_CONFLICT,
    'This operation_idempotency_key has been used with a different request.',
  );
}
