// SQL, because sets of deliveries expire by the database's clock.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { EndpointId } from '@supplier/lib/text/ids';
import { NOW } from '../store/database.ts';

/**
 * Expires every delivery of the endpoint that awaits an attempt and was recorded more than `pausedMs` ago by the
 * database's clock; an attempt in progress may finish. Returns how many. The caller holds the lock on activity.
 */
export async function expirePausedOf(
  tx: SqlSession,
  endpointId: EndpointId,
  pausedMs: number,
): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE event SET state = 'expired', next_attempt_at = NULL, settled_at = ${NOW}
      WHERE endpoint_id = $1::uuid AND next_attempt_at IS NOT NULL
        AND recorded_at < ${NOW} - $2 * interval '1 millisecond'`,
    [endpointId, pausedMs],
  );
  return rowCount ?? 0;
}

/**
 * Expires waiting deliveries of that age for all disabled endpoints, up to `limit`, skipping locked rows. An endpoint
 * cannot be enabled meanwhile; enabling it expires its own deliveries.
 */
export async function expirePausedOfDisabled(
  pool: SqlSession,
  pausedMs: number,
  limit: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `WITH paused AS (
       SELECT e.id FROM endpoint p JOIN event e ON e.endpoint_id = p.id
        WHERE NOT p.enabled AND e.next_attempt_at IS NOT NULL
          AND e.recorded_at < ${NOW} - $1 * interval '1 millisecond'
        LIMIT $2::int
          FOR UPDATE OF e SKIP LOCKED
          FOR SHARE OF p SKIP LOCKED
     )
     UPDATE event e SET state = 'expired', next_attempt_at = NULL, settled_at = ${NOW}
       FROM paused WHERE e.id = paused.id`,
    [pausedMs, limit],
  );
  return rowCount ?? 0;
}
