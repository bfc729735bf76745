import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type SubmissionStatus, SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import type { SubmissionState } from './submission.ts';

/** Returns the supplier-visible state as a message, without links. */
export function toStatusMessage(state: SubmissionState): SubmissionStatus {
  const { application, billing, returned } = state;
  return create(SubmissionStatusSchema, {
    environment: state.environment,
    submissionId: state.id,
    externalReference: state.externalReference,
    level: state.level,
    status: state.status,
    receivedAt: timestampFromDate(state.receivedAt),
    ...(state.decidedAt ? { decidedAt: timestampFromDate(state.decidedAt) } : {}),
    ...(application
      ? {
          applicationReference: application.reference,
          applicationCreatedAt: timestampFromDate(application.createdAt),
        }
      : {}),
    billing: {
      billingStatus: billing.status,
      ...(billing.billableAt ? { billableAt: timestampFromDate(billing.billableAt) } : {}),
      billingModel: billing.model,
      notBillableReason: billing.notBillableReason,
    },
    ...(returned
      ? { return: { reasonCategory: returned.reason, returnedAt: timestampFromDate(returned.at) } }
      : {}),
  });
}
