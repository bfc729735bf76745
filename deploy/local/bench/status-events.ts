import { create } from '@bufbuild/protobuf';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { newEvent, type OutboxEvent } from '@supplier/lib/outbox';
import { renderStatus } from '@supplier/lib/status-object';
import { formatTimestamp, toTimestamp } from '@supplier/lib/time';
import {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  Status,
  type SubmissionStatus,
  SubmissionStatusSchema,
} from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';

/** A reference and a link as long as they get: with them, a body has about a kilobyte. */
const REFERENCE = 'benchmark-'.repeat(12);
const LINK = `https://pages.example.com/continue/${'0123456789abcdef'.repeat(16)}`;

export interface EventBody {
  readonly id: EventId;
  readonly submissionId: SubmissionId;
  readonly body: Buffer;
}

/** An event's body of about one kilobyte, as the webhook service freezes it. */
export function eventBody(occurredAt: Date): EventBody {
  const id = newId<EventId>();
  const submissionId = newId<SubmissionId>();
  const at = formatTimestamp(occurredAt);
  const handoff = { customer_journey_url: LINK, expires_at: at, single_use: true };
  const data = { ...renderStatus(accepted(submissionId, occurredAt)), handoff };
  const envelope = { id, type: 'submission.status_changed', occurred_at: at, data };
  return { id, submissionId, body: Buffer.from(JSON.stringify(envelope)) };
}

/** The decision on a new submission of the account, as the submission service publishes it. */
export function decisionOf(accountId: AccountId, occurredAt: Date): OutboxEvent {
  const submissionId = newId<SubmissionId>();
  const submission = accepted(submissionId, occurredAt);
  return newEvent(
    SubmissionStatusChangedSchema,
    { accountId, submission, change: StatusChange.DECIDED },
    { aggregateId: submissionId, aggregateVersion: 1n, occurredAt, facet: 'lead' },
  );
}

function accepted(submissionId: SubmissionId, at: Date): SubmissionStatus {
  return create(SubmissionStatusSchema, {
    environment: Environment.SANDBOX,
    submissionId,
    externalReference: REFERENCE,
    level: Level.APPLICATION,
    status: Status.ACCEPTED,
    receivedAt: toTimestamp(at),
    decidedAt: toTimestamp(at),
    applicationReference: 'APP-0123456789',
    applicationCreatedAt: toTimestamp(at),
    billing: {
      billingStatus: BillingStatus.NOT_BILLABLE,
      billingModel: BillingModel.ACCEPTED_SUBMISSION,
      notBillableReason: NotBillableReason.SANDBOX,
    },
  });
}
