import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { toTimestamp } from '@supplier/lib/time';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import {
  type BillingModel,
  BillingStatus,
  Environment,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import {
  ApplicationCreatedSchema,
  PreUnderwritingCompletedSchema,
  StatusChange,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { ServiceContext } from '../src/context.ts';
import { inTransaction } from '../src/db/database.ts';
import { submissionEvents } from '../src/events/index.ts';

export const DECIDED_AT = new Date('2026-11-01T10:00:00.111Z');
export const CREATED_AT = new Date('2026-11-02T10:00:00.222Z');
export const CLEARED_AT = new Date('2026-11-03T10:00:00.333Z');
export const RETURNED_AT = new Date('2026-11-04T10:00:00.444Z');

/** Makes the events that the submission service publishes about one submission. */
export function submissionOf(billingModel: BillingModel, environment = Environment.PRODUCTION) {
  const submissionId = newId<SubmissionId>();
  const accountId = newId<AccountId>();
  const about = { accountId, environment, billingModel };
  const envelope = <Desc extends DescMessage>(
    schema: Desc,
    version: bigint,
    message: MessageInitShape<Desc>,
  ): EventEnvelope =>
    create(EventEnvelopeSchema, {
      eventId: newId<EventId>(),
      type: schema.typeName,
      aggregateId: submissionId,
      aggregateVersion: version,
      occurredAt: toTimestamp(DECIDED_AT),
      payload: toBinary(schema, create(schema, message)),
    });
  const status = (version: bigint, value: Status, more: { applicationCreatedAt?: Date } = {}) =>
    envelope(SubmissionStatusChangedSchema, version, {
      accountId,
      change: StatusChange.DECIDED,
      submission: {
        submissionId,
        environment,
        status: value,
        billing: { billingModel, billingStatus: BillingStatus.PENDING },
        ...(value === Status.RECEIVED ? {} : { decidedAt: toTimestamp(DECIDED_AT) }),
        ...(more.applicationCreatedAt
          ? { applicationCreatedAt: toTimestamp(more.applicationCreatedAt) }
          : {}),
        ...(value === Status.RETURNED
          ? {
              return: {
                reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
                returnedAt: toTimestamp(RETURNED_AT),
              },
            }
          : {}),
      },
    });
  const preUnderwriting = (state: PreUnderwritingState) =>
    envelope(PreUnderwritingCompletedSchema, 4n, { ...about, state, completedAt: toTimestamp(CLEARED_AT) });
  return {
    submissionId,
    accountId,
    received: () => status(1n, Status.RECEIVED),
    accepted: () => status(2n, Status.ACCEPTED),
    acceptedWithApplication: () => status(2n, Status.ACCEPTED, { applicationCreatedAt: CREATED_AT }),
    rejected: () => status(2n, Status.REJECTED),
    duplicate: () => status(2n, Status.DUPLICATE_NOT_ACCEPTED),
    applicationCreated: () =>
      envelope(ApplicationCreatedSchema, 3n, {
        ...about,
        applicationReference: 'APP-0123456789',
        createdAt: toTimestamp(CREATED_AT),
      }),
    cleared: () => preUnderwriting(PreUnderwritingState.CLEARED),
    notCleared: () => preUnderwriting(PreUnderwritingState.NOT_CLEARED),
    returned: () => status(5n, Status.RETURNED),
    broken: {
      withoutStatus: () => envelope(SubmissionStatusChangedSchema, 2n, { accountId }),
      withoutModel: () =>
        envelope(ApplicationCreatedSchema, 3n, {
          accountId,
          environment,
          createdAt: toTimestamp(CREATED_AT),
        }),
      withoutTime: () => envelope(ApplicationCreatedSchema, 3n, about),
      unfinished: () => preUnderwriting(PreUnderwritingState.PENDING),
    },
  };
}

/** Delivers an event as the consumer does: its effect and the note that it was applied are one transaction. */
export async function deliver(context: ServiceContext, envelope: EventEnvelope): Promise<void> {
  const handler = submissionEvents(context).find(({ type }) => type === envelope.type);
  if (!handler) throw new Error(`billing does not hear ${envelope.type}`);
  await handler.handle(envelope, (effect) =>
    inTransaction(context.db, async (tx) => {
      const key = { consumer: 'billing', eventId: envelope.eventId };
      const { count } = await tx.inbox.createMany({ data: [key], skipDuplicates: true });
      if (count > 0) await effect(tx);
      return count > 0;
    }),
  );
}

/** What billing has told of a submission, in the order of telling. */
export async function announcements({ db }: ServiceContext, submissionId: SubmissionId) {
  const rows = await db.outbox.findMany({ where: { aggregateId: submissionId }, orderBy: { seq: 'asc' } });
  return rows.map(({ envelope }) => {
    const { type, aggregateVersion, occurredAt, payload } = fromBinary(EventEnvelopeSchema, envelope);
    return { type, aggregateVersion, occurredAt, message: fromBinary(BillingChangedSchema, payload) };
  });
}
