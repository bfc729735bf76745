import type { LimitsPool } from './prepare-table.ts';

const CHUNK = 1_000;
const MAX_CHUNKS = 100;

/** Deletes rows in which nothing counts any more, a thousand at a time and at most 100,000. Returns how many. */
export async function deleteExpired(pool: LimitsPool): Promise<number> {
  let deleted = 0;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const { rowCount } = await pool.query(
      `DELETE FROM limit_window WHERE key IN (
         SELECT key FROM limit_window WHERE expires_at < clock_timestamp()
          ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [CHUNK],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < CHUNK) break;
  }
  return deleted;
}
