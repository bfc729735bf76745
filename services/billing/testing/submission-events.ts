import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import { toDate, toTimestamp } from '@supplier/lib/time';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import {
  type BillingModel,
  BillingStatus,
  Environment,
  ReturnReasonCategory,
  Status,
  type SubmissionStatusSchema,
} from '@supplier/proto/common/v1/status';
import {
  ApplicationCreatedSchema,
  LeadRestatedSchema,
  PreUnderwritingCompletedSchema,
  type PreUnderwritingProgressSchema,
  StatusChange,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import type { Context } from '../src/context.ts';
import { applySubmissionEvents } from '../src/events/apply-submission-events.ts';
import { SUBMISSION_EVENTS, type SubmissionEvent } from '../src/events/read-lead-event.ts';

export const DECIDED_AT = new Date('2026-11-01T10:00:00.111Z');
export const CREATED_AT = new Date('2026-11-02T10:00:00.222Z');
export const CLEARED_AT = new Date('2026-11-03T10:00:00.333Z');
export const RETURNED_AT = new Date('2026-11-04T10:00:00.444Z');
/** When billing applies what a test delivers. */
export const NOW = new Date('2026-11-20T12:00:00.000Z');

export type Submission = ReturnType<typeof submissionOf>;
type Progress = MessageInitShape<typeof PreUnderwritingProgressSchema>;

const NOT_CLEARED: Progress = {
  state: PreUnderwritingState.NOT_CLEARED,
  completedAt: toTimestamp(CLEARED_AT),
};
const CLEARED: Progress = { state: PreUnderwritingState.CLEARED, completedAt: toTimestamp(CLEARED_AT) };

/** What a test needs to be different about a submission. */
export interface Particulars {
  readonly accountId?: AccountId;
  readonly submissionId?: SubmissionId;
  readonly decidedAt?: Date;
  readonly returnedAt?: Date;
}

/** Makes the events that the submission service publishes about one submission. */
export function submissionOf(
  billingModel: BillingModel,
  environment = Environment.PRODUCTION,
  {
    accountId = newId<AccountId>(),
    submissionId = newId<SubmissionId>(),
    decidedAt = DECIDED_AT,
    returnedAt = RETURNED_AT,
  }: Particulars = {},
) {
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
      requestId: `request-of-${submissionId}`,
      payload: toBinary(schema, create(schema, message)),
    });
  const submission = (
    status: Status,
    more: { applicationCreatedAt?: Date; billingStatus?: BillingStatus; billableAt?: Date } = {},
  ): MessageInitShape<typeof SubmissionStatusSchema> => ({
    submissionId,
    environment,
    status,
    billing: {
      billingModel,
      billingStatus: more.billingStatus ?? BillingStatus.PENDING,
      ...(more.billableAt && { billableAt: toTimestamp(more.billableAt) }),
    },
    ...(status === Status.RECEIVED ? {} : { decidedAt: toTimestamp(decidedAt) }),
    ...(more.applicationCreatedAt ? { applicationCreatedAt: toTimestamp(more.applicationCreatedAt) } : {}),
    ...(status === Status.RETURNED
      ? {
          return: {
            reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
            returnedAt: toTimestamp(returnedAt),
          },
        }
      : {}),
  });
  const changed = (
    version: bigint,
    status: Status,
    more: Parameters<typeof submission>[1] & { preUnderwriting?: Progress } = {},
  ) =>
    envelope(SubmissionStatusChangedSchema, version, {
      accountId,
      change: status === Status.RETURNED ? StatusChange.RETURNED : StatusChange.DECIDED,
      submission: submission(status, more),
      ...(more.preUnderwriting ? { preUnderwriting: more.preUnderwriting } : {}),
    });
  const preUnderwriting = (state: PreUnderwritingState, withoutReturn = false) =>
    envelope(PreUnderwritingCompletedSchema, 4n, {
      ...about,
      state,
      completedAt: toTimestamp(CLEARED_AT),
      withoutReturn,
    });
  return {
    submissionId,
    accountId,
    received: () => changed(1n, Status.RECEIVED),
    accepted: () => changed(2n, Status.ACCEPTED),
    acceptedWithApplication: () => changed(2n, Status.ACCEPTED, { applicationCreatedAt: CREATED_AT }),
    acceptedAndCleared: () =>
      changed(2n, Status.ACCEPTED, { applicationCreatedAt: CREATED_AT, preUnderwriting: CLEARED }),
    acceptedAndQueued: () =>
      changed(2n, Status.ACCEPTED, {
        applicationCreatedAt: CREATED_AT,
        preUnderwriting: { state: PreUnderwritingState.PENDING },
      }),
    rejected: () => changed(2n, Status.REJECTED),
    duplicate: () => changed(2n, Status.DUPLICATE_NOT_ACCEPTED),
    applicationCreated: () =>
      envelope(ApplicationCreatedSchema, 3n, {
        ...about,
        applicationReference: 'APP-0123456789',
        createdAt: toTimestamp(CREATED_AT),
      }),
    cleared: () => preUnderwriting(PreUnderwritingState.CLEARED),
    notCleared: () => preUnderwriting(PreUnderwritingState.NOT_CLEARED),
    /** Not cleared by staff, after its return window. */
    closed: () => preUnderwriting(PreUnderwritingState.NOT_CLEARED, true),
    returned: () => changed(5n, Status.RETURNED),
    /** The submission service believes that billing has missed something; one that is billable is shown so from `billableAt`. */
    restated: (status: Status, billingStatus = BillingStatus.PENDING, billableAt = decidedAt) =>
      envelope(LeadRestatedSchema, 6n, {
        accountId,
        submission: submission(status, {
          applicationCreatedAt: CREATED_AT,
          billingStatus,
          ...(billingStatus === BillingStatus.BILLABLE ? { billableAt } : {}),
        }),
        preUnderwriting: CLEARED,
      }),
    /** The same of a lead that was closed. */
    restatedAsClosed: (billingStatus = BillingStatus.PENDING) =>
      envelope(LeadRestatedSchema, 6n, {
        accountId,
        submission: submission(Status.ACCEPTED, { applicationCreatedAt: CREATED_AT, billingStatus }),
        preUnderwriting: NOT_CLEARED,
      }),
    broken: {
      withoutStatus: () => envelope(SubmissionStatusChangedSchema, 2n, { accountId }),
      withoutModel: () =>
        envelope(ApplicationCreatedSchema, 3n, {
          accountId,
          environment,
          createdAt: toTimestamp(CREATED_AT),
        }),
      withoutTime: () => envelope(ApplicationCreatedSchema, 3n, about),
      withoutState: () => changed(2n, Status.ACCEPTED, { preUnderwriting: {} }),
      unfinished: () => preUnderwriting(PreUnderwritingState.PENDING),
      ofAnotherAccount: () =>
        envelope(ApplicationCreatedSchema, 3n, {
          ...about,
          accountId: newId<AccountId>(),
          createdAt: toTimestamp(CREATED_AT),
        }),
    },
  };
}

/**
 * Delivers a set of events as the consumer does: those that are not noted yet are applied, in order, in the transaction
 * that notes them. Answers whether the relay was woken.
 */
export async function deliver(
  { pool }: Pick<Context, 'pool'>,
  ...envelopes: EventEnvelope[]
): Promise<boolean> {
  let woken = false;
  const apply = applySubmissionEvents({
    clock: { now: () => NOW },
    wakes: {
      relay: () => {
        woken = true;
      },
    },
  });
  const afterCommit = await inTransaction(pool, async (tx: pg.PoolClient) => {
    const noted = await tx.query<{ event_id: string }>(
      `INSERT INTO inbox (consumer, event_id) SELECT 'billing', id FROM unnest($1::uuid[]) AS given(id) ORDER BY id
       ON CONFLICT DO NOTHING RETURNING event_id`,
      [envelopes.map(({ eventId }) => eventId)],
    );
    const fresh = new Set(noted.rows.map((row) => row.event_id));
    const events = envelopes.filter(({ eventId }) => fresh.delete(eventId)).map(domainEvent);
    return events.length > 0 ? apply(tx, events) : undefined;
  });
  afterCommit?.();
  return woken;
}

/** An event as the consumer passes it on. */
export function domainEvent(envelope: EventEnvelope): SubmissionEvent {
  const schema = SUBMISSION_EVENTS.find(({ typeName }) => typeName === envelope.type);
  if (!schema || !envelope.occurredAt) throw new Error(`billing does not consume ${envelope.type}`);
  return {
    id: envelope.eventId as EventId,
    aggregateId: envelope.aggregateId,
    version: envelope.aggregateVersion,
    occurredAt: toDate(envelope.occurredAt),
    context: { requestId: envelope.requestId, traceParent: envelope.traceParent },
    message: fromBinary<(typeof SUBMISSION_EVENTS)[number]>(schema, envelope.payload),
  } as SubmissionEvent;
}

/** The events that billing has emitted about a submission, in order. */
export async function emittedEvents({ db }: Pick<Context, 'db'>, submissionId: SubmissionId) {
  const rows = await db.outbox.findMany({ where: { aggregateId: submissionId }, orderBy: { seq: 'asc' } });
  return rows.map(({ envelope }) => {
    const { payload, ...facts } = fromBinary(EventEnvelopeSchema, envelope);
    return { ...facts, message: fromBinary(BillingChangedSchema, payload) };
  });
}
