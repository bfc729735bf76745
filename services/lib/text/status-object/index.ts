import type { Timestamp } from '@bufbuild/protobuf/wkt';
import {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import { formatTimestamp, toDate } from '../time/index.ts';

/** The supplier-visible state of a submission, as in responses and in a webhook's `data`. */
export interface StatusObject {
  environment: string;
  submission_id: string;
  external_reference: string;
  level: string;
  status: string;
  received_at: string;
  decided_at: string | null;
  application_reference: string | null;
  application_created_at: string | null;
  billing: {
    billing_status: string;
    billable_at: string | null;
    billing_model: string;
    not_billable_reason: string | null;
  };
  handoff?: { customer_journey_url: string; expires_at: string; single_use: true };
  arrival_screen_url?: string;
  return?: { reason_category: string; reason_category_version: 'v1'; returned_at: string };
}

/**
 * Renders the status object. Its JSON has a fixed key order, so that responses and webhook bodies are byte-for-byte
 * equal. Throws if a field that every submission has is missing. Implements docs/contract.md, section 3.
 */
export function renderStatus(submission: SubmissionStatus, arrivalScreenUrl?: string): StatusObject {
  const { billing, handoff } = submission;
  if (!submission.receivedAt || !billing)
    throw new Error('the submission has no received_at or no billing state');
  return {
    environment: publicName(Environment, submission.environment),
    submission_id: submission.submissionId,
    external_reference: submission.externalReference,
    level: publicName(Level, submission.level),
    status: publicName(Status, submission.status),
    received_at: formatTimestamp(toDate(submission.receivedAt)),
    decided_at: timestampOrNull(submission.decidedAt),
    application_reference: submission.applicationReference ?? null,
    application_created_at: timestampOrNull(submission.applicationCreatedAt),
    billing: {
      billing_status: publicName(BillingStatus, billing.billingStatus),
      billable_at: timestampOrNull(billing.billableAt),
      billing_model: publicName(BillingModel, billing.billingModel),
      not_billable_reason:
        billing.notBillableReason === NotBillableReason.UNSPECIFIED
          ? null
          : publicName(NotBillableReason, billing.notBillableReason),
    },
    ...(handoff?.expiresAt
      ? {
          handoff: {
            customer_journey_url: handoff.customerJourneyUrl,
            expires_at: formatTimestamp(toDate(handoff.expiresAt)),
            single_use: true,
          },
        }
      : {}),
    ...(arrivalScreenUrl === undefined ? {} : { arrival_screen_url: arrivalScreenUrl }),
    ...(submission.return?.returnedAt
      ? {
          return: {
            reason_category: publicName(ReturnReasonCategory, submission.return.reasonCategory),
            reason_category_version: 'v1',
            returned_at: formatTimestamp(toDate(submission.return.returnedAt)),
          },
        }
      : {}),
  };
}

function timestampOrNull(timestamp: Timestamp | undefined): string | null {
  return timestamp ? formatTimestamp(toDate(timestamp)) : null;
}

/** Returns an enum value in lower case. Throws for values that must not reach a supplier. */
export function publicName(names: Readonly<Record<number, string>>, value: number): string {
  const name = value === 0 ? undefined : names[value];
  if (name === undefined) throw new Error('the enum value has no public name');
  return name.toLowerCase();
}
