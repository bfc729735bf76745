import { create } from '@bufbuild/protobuf';
import type { Level } from '@supplier/proto/common/v1/status';
import {
  type CreateSubmissionRequest,
  CreateSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/create_submission';
import { bodyFingerprint } from './body-fingerprint.ts';
import type { EnquiryJson } from './fields.ts';
import { toEnquiry } from './to-enquiry.ts';

/** The RPC that a validated body of either create asks for. */
export function toCreateRequest(
  level: Level.APPLICATION | Level.BASIC,
  body: EnquiryJson & { readonly external_reference: string },
): CreateSubmissionRequest {
  return create(CreateSubmissionRequestSchema, {
    externalReference: body.external_reference,
    level,
    enquiry: toEnquiry(body),
    bodyFingerprint: bodyFingerprint(body),
  });
}
