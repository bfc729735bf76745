import type pg from 'pg';

const OUTBOX_DAYS = 7;
/** Longer than any outbox: whatever can still be published again must still be recognised. */
const INBOX_DAYS = 14;
const CHUNK = 5_000;
const MAX_CHUNKS = 100;

/** Deletes published events and inbox rows that are past their time, in small steps; at most 500,000 of each a run. */
export async function deleteExpired(pool: pg.Pool): Promise<void> {
  await deleteInChunks(
    pool,
    `DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE published_at IS NOT NULL
       AND created_at < CURRENT_TIMESTAMP - interval '${OUTBOX_DAYS} days' LIMIT ${CHUNK})`,
  );
  await deleteInChunks(
    pool,
    `DELETE FROM inbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM inbox
       WHERE applied_at < CURRENT_TIMESTAMP - interval '${INBOX_DAYS} days' LIMIT ${CHUNK}))`,
  );
}

async function deleteInChunks(pool: pg.Pool, statement: string): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const { rowCount } = await pool.query(statement);
    if ((rowCount ?? 0) < CHUNK) return;
  }
}
