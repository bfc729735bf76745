import { create } from '@bufbuild/protobuf';
import { inTransaction } from '@supplier/lib/data/postgres';
import type { DomainEvent } from '@supplier/lib/events/event-bus';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
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
import {
  StatusChange,
  type SubmissionStatusChanged,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import type { Context } from '../src/context.ts';
import { onSubmissionStatusChanged } from '../src/record/on-submission-status-changed.ts';

export interface StatusChanged {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly submission: SubmissionStatus;
  readonly event: DomainEvent<SubmissionStatusChanged>;
}

interface Facts {
  accountId: AccountId;
  occurredAt: Date;
  submissionId?: SubmissionId;
  environment?: Environment;
  status?: Status;
  change?: StatusChange;
  /** Whether the status has a link; by default true for a change that makes a link available. */
  handedOff?: boolean;
}

/** Returns a SubmissionStatusChanged as the submission service publishes it. */
export function statusChanged(facts: Facts): StatusChanged {
  const { accountId, occurredAt, submissionId = newId<SubmissionId>() } = facts;
  const eventId = newId<EventId>();
  const submission = create(SubmissionStatusSchema, {
    environment: facts.environment ?? Environment.SANDBOX,
    submissionId,
    externalReference: 'ref-Zoë',
    level: Level.APPLICATION,
    status: facts.status ?? Status.ACCEPTED,
    receivedAt: toTimestamp(new Date(occurredAt.getTime() - 1_000)),
    decidedAt: toTimestamp(occurredAt),
    applicationReference: 'APP-0123456789',
    applicationCreatedAt: toTimestamp(occurredAt),
    billing: {
      billingStatus: BillingStatus.NOT_BILLABLE,
      billingModel: BillingModel.ACCEPTED_SUBMISSION,
      notBillableReason: NotBillableReason.SANDBOX,
    },
  });
  const change = facts.change ?? StatusChange.DECIDED;
  const handedOff = facts.handedOff ?? change === StatusChange.HANDOFF_AVAILABLE;
  const event: DomainEvent<SubmissionStatusChanged> = {
    id: eventId,
    aggregateId: submissionId,
    version: 1n,
    occurredAt,
    context: { requestId: `req-${eventId}`, traceParent: '' },
    message: create(SubmissionStatusChangedSchema, { accountId, submission, change, handedOff }),
  };
  return { eventId, submissionId, submission, event };
}

/** Delivers events in one set, as the consumer does: their effects are one transaction, followed by the rest. */
export async function consume(
  context: Context,
  ...changes: readonly Pick<StatusChanged, 'event'>[]
): Promise<void> {
  const events = changes.map(({ event }) => event);
  const afterCommit = await inTransaction(context.pool, (tx) =>
    onSubmissionStatusChanged(context)(tx, events),
  );
  afterCommit();
}
