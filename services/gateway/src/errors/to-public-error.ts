import { ConnectError } from '@connectrpc/connect';
import { type Refusal, RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { FRAMEWORK_TABLE, REFUSAL_TABLE } from './error-table.ts';
import { type ErrorDetails, PublicError } from './public-error.ts';

/** A wrong state is reported as a violation of the named submission. */
const WRONG_STATE = { path: 'submission_id', message: 'is in a state that does not allow this' };

/**
 * Converts anything thrown to a public error: refusals by services and by the HTTP framework by their tables,
 * everything else to service_unavailable. Implements docs/contract.md, section 8.
 */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof PublicError) return error;
  if (error instanceof ConnectError) {
    const refusal = refusalOf(error);
    if (refusal) return fromRefusal(refusal, error);
  }
  const known = FRAMEWORK_TABLE[codeOf(error)];
  return new PublicError(known ?? 'service_unavailable', { cause: error });
}

function fromRefusal(refusal: Refusal, error: ConnectError): PublicError {
  // A newer service may refuse with a code unknown to this version.
  const code = REFUSAL_TABLE[refusal.code] ?? 'service_unavailable';
  if (code === 'service_unavailable') return new PublicError(code, { cause: error });
  const details = DETAILS[refusal.code]?.(refusal);
  return new PublicError(code, { message: error.rawMessage, details, cause: error });
}

/** Public details of a refusal, in addition to its message. */
const DETAILS: Partial<Record<RefusalCode, (refusal: Refusal) => ErrorDetails | undefined>> = {
  [RefusalCode.VALIDATION_ERROR]: violationsOf,
  [RefusalCode.WRONG_STATE]: (refusal) =>
    refusal.violations.length > 0 ? violationsOf(refusal) : [WRONG_STATE],
  [RefusalCode.EXTERNAL_REFERENCE_CONFLICT]: ({ submissionId }) =>
    submissionId === undefined ? undefined : { submission_id: submissionId },
  [RefusalCode.REVISION_CONFLICT]: ({ currentRevision }) =>
    currentRevision === undefined ? undefined : { current_revision: Number(currentRevision) },
  [RefusalCode.CONCURRENT_PROMOTION]: ({ applicationReference }) =>
    applicationReference === undefined ? undefined : { application_reference: applicationReference },
  [RefusalCode.PAYLOAD_TOO_LARGE]: ({ maxBytes }) =>
    maxBytes === undefined ? undefined : { max_bytes: Number(maxBytes) },
};

function violationsOf({ violations }: Refusal): ErrorDetails {
  return violations.map(({ path, message }) => ({ path, message }));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
