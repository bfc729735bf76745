// SQL, because sets of events become due by the database's clock.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import { NOW } from '../store/database.ts';

/**
 * Makes an event that awaits its next attempt due. Returns the number of that attempt; undefined when an attempt is in
 * progress or the delivery has ended.
 */
export async function makeDue(tx: SqlSession, eventId: EventId): Promise<number | undefined> {
  const { rows } = await tx.query<{ number: number }>(
    `UPDATE event SET next_attempt_at = least(next_attempt_at, ${NOW})
      WHERE id = $1::uuid AND next_attempt_at IS NOT NULL
     RETURNING attempt_count + 1 AS number`,
    [eventId],
  );
  return rows[0]?.number;
}

/** How much of an endpoint's backlog is considered, and how much at once. */
export interface BacklogBounds {
  readonly recordedSince: Date | undefined;
  readonly perStatement: number;
  /** Returns whether there is time for another statement. */
  readonly hasTime: () => boolean;
}

/**
 * Makes the endpoint's events that await a later attempt due at once, the earliest first, and returns how many, and
 * whether there was no time for more. Each statement continues in the index where the last one ended. Locked rows are
 * skipped, since another statement is deciding about them: this never waits for a row, and no claim waits for it.
 */
export async function makeBacklogDue(
  tx: SqlSession,
  endpointId: EndpointId,
  { recordedSince, perStatement, hasTime }: BacklogBounds,
): Promise<{ events: number; more: boolean }> {
  const { rows: times } = await tx.query<{ now: Date }>(`SELECT ${NOW} AS now`);
  const now = times[0]?.now;
  let after = now;
  let events = 0;
  for (;;) {
    const { rows } = await tx.query<{ found: number; last: Date | null }>(
      `WITH later AS (
         SELECT id, next_attempt_at FROM event
          WHERE endpoint_id = $1::uuid AND next_attempt_at > $2::timestamptz AND next_attempt_at >= $3::timestamptz
            AND recorded_at >= $4::timestamptz
          ORDER BY next_attempt_at LIMIT $5::int
            FOR UPDATE SKIP LOCKED
       ), due AS (
         UPDATE event SET next_attempt_at = $2::timestamptz WHERE id = ANY(ARRAY(SELECT id FROM later))
       )
       SELECT count(*)::int AS found, max(next_attempt_at) AS last FROM later`,
      [endpointId, now, after, recordedSince ?? new Date(0), perStatement],
    );
    const { found = 0, last = null } = rows[0] ?? {};
    events += found;
    if (found < perStatement || !last) return { events, more: false };
    if (!hasTime()) return { events, more: true };
    after = last;
  }
}
