import type { EndpointId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import { NOW } from '../store/database.ts';

/** How many events wait to be delivered, and which endpoints are failing. */
export interface QueueReading {
  /** Pending events that wait for an attempt, due or not; counted up to a bound. */
  readonly waiting: number;
  /** Pending events with an attempt under way. */
  readonly leased: number;
  /** How long the oldest due event of an enabled endpoint has been due; 0 when nothing is. */
  readonly oldestDueSeconds: number;
  /** The longest-failing endpoints, at most a bounded number. */
  readonly failing: readonly { readonly endpointId: EndpointId; readonly failedAttempts: number }[];
}

/** Counts stop here: counting a backlog must not add to it. */
export const MAX_COUNTED = 100_000;
export const MAX_FAILING = 100;

/** Reads it in one statement, of a few index scans. Nothing is locked. */
export async function readQueue(pool: Pool): Promise<QueueReading> {
  const { rows } = await pool.query<{
    waiting: number;
    leased: number;
    oldest_due_seconds: number;
    failing: { id: string; count: number }[];
  }>({
    name: 'read-queue',
    text: `SELECT (SELECT count(*)::int FROM (SELECT FROM "event" WHERE "next_attempt_at" IS NOT NULL
                                               LIMIT ${MAX_COUNTED}) AS "w") AS "waiting",
                  (SELECT count(*)::int FROM (SELECT FROM "event" WHERE "lease_until" IS NOT NULL
                                               LIMIT ${MAX_COUNTED}) AS "l") AS "leased",
                  (SELECT COALESCE(extract(epoch FROM ${NOW} - min("d"."at"))::float8, 0) FROM "endpoint" "p"
                    CROSS JOIN LATERAL (SELECT "e"."next_attempt_at" AS "at" FROM "event" "e"
                                         WHERE "e"."endpoint_id" = "p"."id" AND "e"."next_attempt_at" <= ${NOW}
                                         ORDER BY "e"."next_attempt_at" LIMIT 1) AS "d"
                    WHERE "p"."enabled") AS "oldest_due_seconds",
                  (SELECT coalesce(json_agg(json_build_object('id', "endpoint_id", 'count', "failed_attempts")), '[]')
                     FROM (SELECT "endpoint_id", "failed_attempts" FROM "endpoint_health"
                            WHERE "failing_since" IS NOT NULL ORDER BY "failing_since" LIMIT ${MAX_FAILING})
                       AS "f") AS "failing"`,
  });
  const [row] = rows;
  if (!row) throw new Error('invariant violated: no row from a query of scalars');
  return {
    waiting: row.waiting,
    leased: row.leased,
    oldestDueSeconds: row.oldest_due_seconds,
    failing: row.failing.map(({ id, count }) => ({ endpointId: id as EndpointId, failedAttempts: count })),
  };
}
