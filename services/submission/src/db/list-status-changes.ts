import { fromBinary } from '@bufbuild/protobuf';
import type { AccountId, EventId, SubmissionId } from '@supplier/lib/ids';
import { toDate } from '@supplier/lib/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type { Environment } from '@supplier/proto/common/v1/status';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type { Database } from './database.ts';

/** Where a row stands in the order of recording. */
export interface RecordedAt {
  readonly at: Date;
  readonly seq: bigint;
}

/** One SubmissionStatusChanged of the outbox, without the state it carried. */
export interface RecordedChange {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly occurredAt: Date;
  readonly recorded: RecordedAt;
}

export interface Page {
  /** From this time on, and before `until`. */
  readonly since: Date;
  readonly until: Date;
  readonly after: RecordedAt | undefined;
  readonly limit: number;
}

/**
 * The changes of status that the outbox holds for a span of time, by time of recording and then by number. The time
 * leads, so that every page is one range of the index on it, however much older or newer the outbox holds.
 */
export async function listStatusChanges(
  db: Database,
  { since, until, after, limit }: Page,
): Promise<RecordedChange[]> {
  const from = after && after.at > since ? after.at : since;
  const rows = await db.outbox.findMany({
    where: {
      type: SubmissionStatusChangedSchema.typeName,
      createdAt: { gte: from, lt: until },
      ...(after ? { NOT: { createdAt: after.at, seq: { lte: after.seq } } } : {}),
    },
    orderBy: [{ createdAt: 'asc' }, { seq: 'asc' }],
    take: limit,
    select: { seq: true, createdAt: true, envelope: true },
  });
  return rows.map(({ seq, createdAt, envelope }) => {
    const { eventId, aggregateId, occurredAt, payload } = fromBinary(EventEnvelopeSchema, envelope);
    const { accountId, submission } = fromBinary(SubmissionStatusChangedSchema, payload);
    if (!occurredAt || !submission) throw new Error('a recorded change has a time and a state');
    return {
      eventId: eventId as EventId,
      submissionId: aggregateId as SubmissionId,
      accountId: accountId as AccountId,
      environment: submission.environment,
      occurredAt: toDate(occurredAt),
      recorded: { at: createdAt, seq },
    };
  });
}
