// SQL, because Prisma can't skip locked rows.
import type { Pool } from 'pg';
import { NOW } from '../store/database.ts';

/**
 * Deletes up to `limit` events that were settled more than `keptMs` ago by the database's clock, the longest ago first,
 * with their attempts, and returns how many. Pending events are not settled; locked rows are left for the next call.
 */
export async function deleteSettled(pool: Pool, keptMs: number, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM event WHERE id IN (
       SELECT id FROM event WHERE settled_at < ${NOW} - $1 * interval '1 millisecond' ORDER BY settled_at LIMIT $2
          FOR UPDATE SKIP LOCKED)`,
    [keptMs, limit],
  );
  return rowCount ?? 0;
}
