import { create } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/text/ids';
import {
  type PromoteSubmissionRequest,
  PromoteSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/submission';
import { bodyFingerprint } from '../../enquiry/body-fingerprint.ts';
import { toEnquiry } from '../../enquiry/to-enquiry.ts';
import type { PromoteSubmissionBody } from './schema.ts';

/** The RPC that a validated promotion asks for. */
export function toPromoteSubmissionRequest(
  submissionId: SubmissionId,
  body: PromoteSubmissionBody,
): PromoteSubmissionRequest {
  return create(PromoteSubmissionRequestSchema, {
    submissionId,
    operationIdempotencyKey: body.operation_idempotency_key,
    enquiry: toEnquiry(body),
    bodyFingerprint: bodyFingerprint(body),
  });
}
