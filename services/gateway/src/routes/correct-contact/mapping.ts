import { create } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/text/ids';
import {
  type CorrectContactRequest,
  CorrectContactRequestSchema,
} from '@supplier/proto/submission/v1/submission';
import { bodyFingerprint } from '../../enquiry/body-fingerprint.ts';
import { readContactMethod } from '../../enquiry/to-enquiry.ts';
import type { CorrectContactBody } from './schema.ts';

/** The RPC that a validated correction asks for. A field that is left out is left as it is. */
export function toCorrectContactRequest(
  submissionId: SubmissionId,
  body: CorrectContactBody,
): CorrectContactRequest {
  return create(CorrectContactRequestSchema, {
    submissionId,
    operationIdempotencyKey: body.operation_idempotency_key,
    expectedRevision: BigInt(body.expected_revision),
    contact: {
      firstName: body.first_name,
      lastName: body.last_name,
      telephone: body.telephone,
      email: body.email,
      preferredContactMethod: readContactMethod(body.preferred_contact_method),
    },
    bodyFingerprint: bodyFingerprint(body),
  });
}
