import type { SqlExecutor } from '@supplier/lib/postgres';

/**
 * Deletes up to `limit` events that were settled before `settledBefore`, the longest ago first, with their attempts, and
 * answers how many. What is pending has not been settled; what somebody else is changing is left for the next time.
 */
export async function deleteOldEvents(db: SqlExecutor, settledBefore: Date, limit: number): Promise<number> {
  return db.$executeRawUnsafe(
    `DELETE FROM "event" WHERE "id" IN (
       SELECT "id" FROM "event" WHERE "settled_at" < $1::timestamptz ORDER BY "settled_at" LIMIT $2
          FOR UPDATE SKIP LOCKED)`,
    settledBefore,
    limit,
  );
}
