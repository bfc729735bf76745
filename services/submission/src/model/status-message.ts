import { create } from '@bufbuild/protobuf';
import { optionalTimestamp, toTimestamp } from '@supplier/lib/text/time';
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
    receivedAt: toTimestamp(state.receivedAt),
    decidedAt: optionalTimestamp(state.decidedAt),
    applicationReference: application?.reference,
    applicationCreatedAt: optionalTimestamp(application?.createdAt),
    billing: {
      billingStatus: billing.status,
      billableAt: optionalTimestamp(billing.billableAt),
      billingModel: billing.model,
      notBillableReason: billing.notBillableReason,
    },
    return: returned ? { reasonCategory: returned.reason, returnedAt: toTimestamp(returned.at) } : undefined,
  });
}
