// SQL, because Prisma can't skip locked rows.
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Pool } from 'pg';
import type { Context } from '../context.ts';
import { NOW } from '../store/database.ts';

const EVERY_MS = 3_600_000;
const CHUNK = 500;

/**
 * Deletes events whose retention since they were settled has ended, with any outcome. Keeps audit entries and
 * undelivered events. Implements docs/contract.md, section 10.
 */
export const deleteOldEvents: Sweep<Context> = {
  found: 'old events deleted',
  everyMs: EVERY_MS,
  async run({ pool, retentionMs }) {
    const count = await deleteSettled(pool, retentionMs, CHUNK);
    return { count, more: count === CHUNK };
  },
};

/**
 * Deletes up to `limit` events that were settled more than `keptMs` ago by the database's clock, the longest ago first,
 * with their attempts, and returns how many. Pending events are not settled; locked rows are left for the next call.
 */
async function deleteSettled(pool: Pool, keptMs: number, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM event WHERE id IN (
       SELECT id FROM event WHERE settled_at < ${NOW} - $1 * interval '1 millisecond' ORDER BY settled_at LIMIT $2
          FOR UPDATE SKIP LOCKED)`,
    [keptMs, limit],
  );
  return rowCount ?? 0;
}
