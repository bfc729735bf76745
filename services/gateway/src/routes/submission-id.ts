import { parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { PublicError } from '../errors/public-error.ts';

/**
 * The id that the path of a request names, in lower case. Throws validation_error when it is no UUID, whatever else
 * may be reached under that path. Implements docs/contract.md, section 3.
 */
export function submissionIdIn(params: unknown): SubmissionId {
  const holder = typeof params === 'object' && params !== null ? params : {};
  const text =
    'submission_id' in holder && typeof holder.submission_id === 'string' ? holder.submission_id : '';
  const submissionId = parseId<SubmissionId>(text);
  if (submissionId) return submissionId;
  throw new PublicError('validation_error', {
    details: [{ path: 'submission_id', message: 'must be a UUID' }],
  });
}
