import type { EndpointId } from '@supplier/lib/ids';
import type { Pool } from 'pg';
import { NOW } from './database.ts';

/** The enabled endpoints that have at least one attempt due by the database's clock; one index probe for each enabled endpoint. */
export async function findDueEndpoints(pool: Pool): Promise<EndpointId[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-due-endpoints',
    text: `SELECT "p"."id" FROM "endpoint" "p"
            WHERE "p"."enabled" AND EXISTS (
                    SELECT FROM "event" "e"
                     WHERE "e"."endpoint_id" = "p"."id" AND "e"."next_attempt_at" <= ${NOW})`,
  });
  return rows.map((row) => row.id as EndpointId);
}
