import type { EndpointId, EventId } from '@supplier/lib/ids';
import type { Pool } from 'pg';
import { NOW } from './database.ts';

/** An attempt whose lease ran out before its end was recorded. */
export interface LostAttempt {
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
  readonly number: number;
  readonly startedAt: Date;
  readonly keyFingerprint: string;
  readonly leaseUntil: Date;
}

/**
 * Up to `limit` attempts whose lease is over by the database's clock, the longest ago first. Nothing is locked or
 * changed. Of one that an earlier version of this service claimed, start and key are in a row of its own.
 */
export async function findLostAttempts(pool: Pool, limit: number): Promise<LostAttempt[]> {
  const { rows } = await pool.query<{
    id: string;
    endpoint_id: string;
    number: number;
    started_at: Date;
    key_fingerprint: string;
    lease_until: Date;
  }>({
    name: 'find-lost-attempts',
    text: `SELECT "e"."id", "e"."endpoint_id", "e"."attempt_count" AS "number", "e"."lease_until",
                  COALESCE("a"."started_at", "e"."attempt_started_at", "e"."lease_until") AS "started_at",
                  COALESCE("a"."key_fingerprint", "e"."attempt_key_fingerprint", '') AS "key_fingerprint"
             FROM "event" "e"
             LEFT JOIN "attempt" "a" ON "a"."event_id" = "e"."id" AND "a"."number" = "e"."attempt_count"
            WHERE "e"."lease_until" < ${NOW} ORDER BY "e"."lease_until" LIMIT $1`,
    values: [limit],
  });
  return rows.map((row) => ({
    eventId: row.id as EventId,
    endpointId: row.endpoint_id as EndpointId,
    number: row.number,
    startedAt: row.started_at,
    keyFingerprint: row.key_fingerprint,
    leaseUntil: row.lease_until,
  }));
}
