import type { SqlExecutor } from '@supplier/lib/postgres';
import { NOW } from './database.ts';

/**
 * Deletes up to `limit` events that were settled more than `keptMs` ago by the database's clock, the longest ago first, with their attempts, and
 * answers how many. What is pending has not been settled; what somebody else is changing is left for the next time.
 */
export async function deleteOldEvents(db: SqlExecutor, keptMs: number, limit: number): Promise<number> {
  return db.$executeRawUnsafe(
    `DELETE FROM "event" WHERE "id" IN (
       SELECT "id" FROM "event" WHERE "settled_at" < ${NOW} - $1 * interval '1 millisecond' ORDER BY "settled_at" LIMIT $2
          FOR UPDATE SKIP LOCKED)`,
    keptMs,
    limit,
  );
}
