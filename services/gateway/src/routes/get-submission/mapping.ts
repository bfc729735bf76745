import { create } from '@bufbuild/protobuf';
import {
  type GetSubmissionRequest,
  GetSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/submission';
import { submissionIdIn } from '../submission-id.ts';

/** Reads the id from the path. Throws validation_error when it is no UUID. Implements docs/contract.md, section 3. */
export function toGetSubmissionRequest(params: unknown): GetSubmissionRequest {
  return create(GetSubmissionRequestSchema, { submissionId: submissionIdIn(params) });
}
