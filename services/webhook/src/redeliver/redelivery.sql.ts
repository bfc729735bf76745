// SQL, because Prisma has no advisory locks, and the partial index of undelivered events needs literal states.
import type { EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Database, Transaction } from '../store/database.ts';

/** How long a redelivery may hold its lock, in milliseconds, and how long it may wait for a connection. */
const HELD_MS = 9_000;
const MAX_WAIT_MS = 2_000;

/**
 * Runs `work` while no other redelivery of the endpoint runs in any process; returns undefined without running it when
 * one does. Holds one database connection, with the lock, until `work` ends; the writes of `work` are not part of that
 * transaction. `work` must end within nine seconds, when the lock is released.
 */
export function tryRedelivery<Result>(
  db: Database,
  endpointId: EndpointId,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return db.$transaction(
    async (tx) => {
      const [row] = await tx.$queryRaw<{ held: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended(${`redelivery ${endpointId}`}, 0)) AS "held"`;
      return row?.held ? work() : undefined;
    },
    { maxWait: MAX_WAIT_MS, timeout: HELD_MS },
  );
}

/** What to redeliver of an endpoint. */
export interface RedeliveryRange {
  /** Only events settled at or after this time. */
  readonly since: Date;
  /** Also delivered events, if they were settled before this time. */
  readonly deliveredUntil: Date | undefined;
}

/** How many events are read for each submission to find: one that had several is found once. */
const EVENTS_PER_SUBMISSION = 5;

/**
 * Returns up to `limit` submissions with undelivered events of the endpoint, or delivered ones in the range, that
 * nothing replaces, longest settled first, and whether there may be more. Reads a bounded part of each index, however
 * many events there are.
 */
export async function findRedeliverable(
  db: Database,
  endpointId: EndpointId,
  { since, deliveredUntil }: RedeliveryRange,
  limit: number,
): Promise<{ submissionIds: SubmissionId[]; more: boolean }> {
  const read = limit * EVENTS_PER_SUBMISSION;
  // An empty range without delivered events.
  const until = deliveredUntil ?? since;
  const rows = await db.$queryRaw<{ submission_id: string; undelivered: number; delivered: number }[]>`
    WITH "undelivered" AS (
      SELECT "submission_id", "settled_at" FROM "event"
       WHERE "endpoint_id" = ${endpointId}::uuid AND "state" IN ('exhausted', 'expired')
         AND "redelivered_as" IS NULL AND "settled_at" >= ${since}::timestamptz
       ORDER BY "settled_at" LIMIT ${read}
    ), "delivered" AS (
      SELECT "submission_id", "settled_at" FROM "event"
       WHERE "endpoint_id" = ${endpointId}::uuid AND "state" = 'delivered' AND "redelivered_as" IS NULL
         AND "settled_at" >= ${since}::timestamptz AND "settled_at" < ${until}::timestamptz
       ORDER BY "settled_at" LIMIT ${read}
    )
    SELECT "submission_id", (SELECT count(*)::int FROM "undelivered") AS "undelivered",
           (SELECT count(*)::int FROM "delivered") AS "delivered"
      FROM (SELECT * FROM "undelivered" UNION ALL SELECT * FROM "delivered") AS "found"
     GROUP BY "submission_id" ORDER BY min("settled_at"), "submission_id"`;
  const [counts] = rows;
  return {
    submissionIds: rows.slice(0, limit).map((row) => row.submission_id as SubmissionId),
    more: rows.length > limit || counts?.undelivered === read || counts?.delivered === read,
  };
}

/** An event that replaces the undelivered events of its submission. */
export interface Replacement {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly endpointId: EndpointId;
  readonly occurredAt: Date;
}

/**
 * Marks every earlier undelivered event of the submission, and with `deliveredUntil` every event delivered before that
 * time, oldest first, and returns them. Marks none if the endpoint was not active at the time of the replacement, which
 * is then dropped and replaces nothing.
 */
export async function markRedelivered(
  tx: Transaction,
  replacement: Replacement,
  deliveredUntil: Date | undefined,
): Promise<EventId[]> {
  const rows = await tx.$queryRaw<{ id: string; occurred_at: Date }[]>`
    UPDATE "event" SET "redelivered_as" = ${replacement.eventId}::uuid
     WHERE "submission_id" = ${replacement.submissionId}::uuid AND "endpoint_id" = ${replacement.endpointId}::uuid
       AND "occurred_at" < ${replacement.occurredAt}::timestamptz AND "redelivered_as" IS NULL
       AND ("state" IN ('exhausted', 'expired')
            OR ("state" = 'delivered' AND "settled_at" < ${deliveredUntil ?? null}::timestamptz))
       AND EXISTS (SELECT FROM "endpoint_activity" "a" WHERE "a"."endpoint_id" = ${replacement.endpointId}::uuid
             AND "a"."active_from" <= ${replacement.occurredAt}::timestamptz
             AND ("a"."active_until" IS NULL OR "a"."active_until" > ${replacement.occurredAt}::timestamptz))
    RETURNING "id", "occurred_at"`;
  return rows
    .toSorted((one, other) => Number(one.occurred_at) - Number(other.occurred_at))
    .map((row) => row.id as EventId);
}
