import type { EndpointId } from '@supplier/lib/ids';
import type { Pool } from 'pg';

/** The enabled endpoints that have at least one attempt due at `now`; one index probe for each enabled endpoint. */
export async function findDueEndpoints(pool: Pool, now: Date): Promise<EndpointId[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-due-endpoints',
    text: `SELECT "p"."id" FROM "endpoint" "p"
            WHERE "p"."enabled" AND EXISTS (
                    SELECT FROM "event" "e"
                     WHERE "e"."endpoint_id" = "p"."id" AND "e"."next_attempt_at" <= $1::timestamptz)`,
    values: [now],
  });
  return rows.map((row) => row.id as EndpointId);
}
