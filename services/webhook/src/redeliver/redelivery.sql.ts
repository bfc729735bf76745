// SQL, because Prisma has no advisory locks, and the partial index of undelivered events needs literal states.
import { inTransaction, type SqlSession } from '@supplier/lib/data/postgres';
import type { EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';

/**
 * Runs `work` while no other redelivery of the endpoint runs in any process; returns undefined without running it when
 * one does. Holds one database connection, with the lock, until `work` ends; the writes of `work` are not part of that
 * transaction. `work` must end within ten seconds, after which the server ends the idle transaction.
 */
export function tryRedelivery<Result>(
  pool: Pool,
  endpointId: EndpointId,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ held: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS held',
      [`redelivery ${endpointId}`],
    );
    return rows[0]?.held ? work() : undefined;
  });
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
  pool: Pool,
  endpointId: EndpointId,
  { since, deliveredUntil }: RedeliveryRange,
  limit: number,
): Promise<{ submissionIds: SubmissionId[]; more: boolean }> {
  const read = limit * EVENTS_PER_SUBMISSION;
  // An empty range without delivered events.
  const until = deliveredUntil ?? since;
  const { rows } = await pool.query<{ submission_id: string; undelivered: number; delivered: number }>(
    `WITH undelivered AS (
       SELECT submission_id, settled_at FROM event
        WHERE endpoint_id = $1::uuid AND state IN ('exhausted', 'expired')
          AND redelivered_as IS NULL AND settled_at >= $2::timestamptz
        ORDER BY settled_at LIMIT $4::int
     ), delivered AS (
       SELECT submission_id, settled_at FROM event
        WHERE endpoint_id = $1::uuid AND state = 'delivered' AND redelivered_as IS NULL
          AND settled_at >= $2::timestamptz AND settled_at < $3::timestamptz
        ORDER BY settled_at LIMIT $4::int
     )
     SELECT submission_id, (SELECT count(*)::int FROM undelivered) AS undelivered,
            (SELECT count(*)::int FROM delivered) AS delivered
       FROM (SELECT * FROM undelivered UNION ALL SELECT * FROM delivered) AS found
      GROUP BY submission_id ORDER BY min(settled_at), submission_id`,
    [endpointId, since, until, read],
  );
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
  tx: SqlSession,
  { eventId, submissionId, endpointId, occurredAt }: Replacement,
  deliveredUntil: Date | undefined,
): Promise<EventId[]> {
  const { rows } = await tx.query<{ id: string; occurred_at: Date }>(
    `UPDATE event SET redelivered_as = $1::uuid
      WHERE submission_id = $2::uuid AND endpoint_id = $3::uuid
        AND occurred_at < $4::timestamptz AND redelivered_as IS NULL
        AND (state IN ('exhausted', 'expired') OR (state = 'delivered' AND settled_at < $5::timestamptz))
        AND EXISTS (SELECT FROM endpoint_activity a WHERE a.endpoint_id = $3::uuid
              AND a.active_from <= $4::timestamptz
              AND (a.active_until IS NULL OR a.active_until > $4::timestamptz))
     RETURNING id, occurred_at`,
    [eventId, submissionId, endpointId, occurredAt, deliveredUntil ?? null],
  );
  return rows
    .toSorted((one, other) => Number(one.occurred_at) - Number(other.occurred_at))
    .map((row) => row.id as EventId);
}
