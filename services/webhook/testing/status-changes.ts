import { create, toBinary } from '@bufbuild/protobuf';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { toTimestamp } from '@supplier/lib/time';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
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
import type { ServiceContext } from '../src/context.ts';
import { inTransaction } from '../src/db/database.ts';
import { submissionEvents } from '../src/events/index.ts';

export interface StatusChanged {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly submission: SubmissionStatus;
  readonly envelope: EventEnvelope;
}

interface Facts {
  accountId: AccountId;
  occurredAt: Date;
  submissionId?: SubmissionId;
  environment?: Environment;
  status?: Status;
  change?: StatusChange;
  /** Said of a status that has a link; by default of one that a link has become available for. */
  handedOff?: boolean;
}

/** A SubmissionStatusChanged as the submission service publishes it. */
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
  const message = { accountId, submission, change, handedOff };
  const envelope = create(EventEnvelopeSchema, {
    eventId,
    type: SubmissionStatusChangedSchema.typeName,
    aggregateId: submissionId,
    aggregateVersion: 1n,
    occurredAt: toTimestamp(occurredAt),
    payload: toBinary(SubmissionStatusChangedSchema, create(SubmissionStatusChangedSchema, message)),
  });
  return { eventId, submissionId, submission, envelope };
}

/** Delivers an event as the consumer does: its effect and the note that it was applied are one transaction. */
export async function hear(
  context: ServiceContext,
  { envelope }: Pick<StatusChanged, 'envelope'>,
): Promise<void> {
  const handler = submissionEvents(context).find(({ type }) => type === envelope.type);
  if (!handler) throw new Error(`the service does not hear ${envelope.type}`);
  await handler.handle(envelope, (effect) =>
    inTransaction(context.db, async (tx) => {
      const key = { consumer: 'webhook', eventId: envelope.eventId };
      const { count } = await tx.inbox.createMany({ data: [key], skipDuplicates: true });
      if (count > 0) await effect(tx);
      return count > 0;
    }),
  );
}
