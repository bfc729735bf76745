import { create } from '@bufbuild/protobuf';
import { parseId, type SubmissionId } from '@supplier/lib/ids';
import {
  type GetSubmissionRequest,
  GetSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/submission';
import { PublicError } from '../../errors/public-error.ts';

/** Reads the id from the path. Throws validation_error when it is no UUID. Implements docs/contract.md, section 3. */
export function toGetSubmissionRequest(params: unknown): GetSubmissionRequest {
  const submissionId = parseId<SubmissionId>(submissionIdIn(params));
  if (!submissionId) {
    throw new PublicError('validation_error', {
      details: [{ path: 'submission_id', message: 'must be a UUID' }],
    });
  }
  return create(GetSubmissionRequestSchema, { submissionId });
}

function submissionIdIn(params: unknown): string {
  const holder = typeof params === 'object' && params !== null ? params : {};
  return 'submission_id' in holder && typeof holder.submission_id === 'string' ? holder.submission_id : '';
}
