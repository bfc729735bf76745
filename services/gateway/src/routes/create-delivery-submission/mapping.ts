import { create } from '@bufbuild/protobuf';
import { Level } from '@supplier/proto/common/v1/status';
import {
  type CreateSubmissionRequest,
  CreateSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/submission';
import { bodyFingerprint } from '../../enquiry/body-fingerprint.ts';
import { toEnquiry } from '../../enquiry/to-enquiry.ts';
import type { CreateDeliverySubmissionBody } from './schema.ts';

/** The RPC that a validated body of the delivery contract asks for. */
export function toCreateBasicSubmissionRequest(body: CreateDeliverySubmissionBody): CreateSubmissionRequest {
  return create(CreateSubmissionRequestSchema, {
    externalReference: body.external_reference,
    level: Level.BASIC,
    enquiry: toEnquiry(body),
    bodyFingerprint: bodyFingerprint(body),
  });
}
