import { ConnectError } from '@connectrpc/connect';
import { type Refusal, RefusalCode, refusalOf } from '@supplier/lib/refusal';
import { FRAMEWORK_TABLE, REFUSAL_TABLE } from './error-table.ts';
import { type ErrorDetails, PublicError } from './public-error.ts';

/** A state that does not fit is the fault of the submission that was named. */
const WRONG_STATE = { path: 'submission_id', message: 'is not in a state that allows this' };

/**
 * Whatever was thrown, as the answer it becomes: refusals of services and of the HTTP framework by their tables, and
 * service_unavailable for everything that nobody foresaw. Implements docs/contract.md, section 8.
 */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof PublicError) return error;
  const refusal = refusalOf(error);
  if (refusal) return fromRefusal(refusal, error);
  const known = FRAMEWORK_TABLE[codeOf(error)];
  if (known) return new PublicError(known, { cause: error });
  return new PublicError('service_unavailable', { cause: error });
}

function fromRefusal(refusal: Refusal, error: unknown): PublicError {
  const code = REFUSAL_TABLE[refusal.code] ?? 'service_unavailable';
  if (code === 'service_unavailable') return new PublicError(code, { cause: error });
  const message = error instanceof ConnectError ? error.rawMessage : undefined;
  return new PublicError(code, { message, details: detailsOf(refusal), cause: error });
}

function detailsOf(refusal: Refusal): ErrorDetails | undefined {
  switch (refusal.code) {
    case RefusalCode.VALIDATION_ERROR:
      return violationsOf(refusal);
    case RefusalCode.WRONG_STATE:
      return refusal.violations.length > 0 ? violationsOf(refusal) : [WRONG_STATE];
    case RefusalCode.EXTERNAL_REFERENCE_CONFLICT:
      return refusal.submissionId === undefined ? undefined : { submission_id: refusal.submissionId };
    case RefusalCode.REVISION_CONFLICT:
      return refusal.currentRevision === undefined
        ? undefined
        : { current_revision: Number(refusal.currentRevision) };
    case RefusalCode.CONCURRENT_PROMOTION:
      return refusal.applicationReference === undefined
        ? undefined
        : { application_reference: refusal.applicationReference };
    case RefusalCode.PAYLOAD_TOO_LARGE:
      return refusal.maxBytes === undefined ? undefined : { max_bytes: Number(refusal.maxBytes) };
    case RefusalCode.UNSPECIFIED:
    case RefusalCode.NOT_FOUND:
    case RefusalCode.FORBIDDEN:
    case RefusalCode.IDEMPOTENCY_CONFLICT:
    case RefusalCode.ALREADY_EXISTS:
    case RefusalCode.SERVICE_UNAVAILABLE:
      return undefined;
  }
}

function violationsOf({ violations }: Refusal): ErrorDetails {
  return violations.map(({ path, message }) => ({ path, message }));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
