import type { EndpointId, EventId } from '@supplier/lib/ids';
import type { Pool } from 'pg';

/** An attempt whose lease ran out before anybody told how it ended. */
export interface LostAttempt {
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
  readonly number: number;
  readonly startedAt: Date;
  readonly leaseUntil: Date;
}

/** Up to `limit` attempts whose lease ended before `now`, the longest ago first. Nothing is locked or changed. */
export async function findLostAttempts(pool: Pool, now: Date, limit: number): Promise<LostAttempt[]> {
  const { rows } = await pool.query<{
    event_id: string;
    endpoint_id: string;
    number: number;
    started_at: Date;
    lease_until: Date;
  }>({
    name: 'find-lost-attempts',
    text: `SELECT "a"."event_id", "e"."endpoint_id", "a"."number", "a"."started_at", "e"."lease_until"
             FROM "event" "e" JOIN "attempt" "a" ON "a"."event_id" = "e"."id" AND "a"."number" = "e"."attempt_count"
            WHERE "e"."lease_until" < $1::timestamptz ORDER BY "e"."lease_until" LIMIT $2`,
    values: [now, limit],
  });
  return rows.map((row) => ({
    eventId: row.event_id as EventId,
    endpointId: row.endpoint_id as EndpointId,
    number: row.number,
    startedAt: row.started_at,
    leaseUntil: row.lease_until,
  }));
}
