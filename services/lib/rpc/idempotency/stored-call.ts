import type { Pool } from 'pg';
import type { SqlSession } from '../../data/postgres/index.ts';
import type { Sweep } from '../../runtime/sweepers/index.ts';
import { newId } from '../../text/ids/index.ts';

export interface StoredCall {
  /** Identifies the act to other services involved in it. */
  readonly id: string;
  readonly request_sha256: Buffer;
  /** Null while the act is in progress or after it was interrupted. */
  readonly answer: Uint8Array | null;
}

/** Digests of the key with its owner and RPC, and of the request without the key. */
export interface CallDigests {
  readonly key: Buffer;
  readonly request: Buffer;
}

export async function findCall(session: SqlSession, { key }: CallDigests): Promise<StoredCall | undefined> {
  const { rows } = await session.query<StoredCall>(
    'SELECT id::text, request_sha256, answer FROM idempotent_call WHERE key_sha256 = $1',
    [key],
  );
  return rows[0];
}

/** Inserts a call; undefined if the key is taken. Waits for a simultaneous call with the same key. */
export async function insertCall(
  session: SqlSession,
  { key, request }: CallDigests,
): Promise<StoredCall | undefined> {
  const { rows } = await session.query<StoredCall>(
    `INSERT INTO idempotent_call (key_sha256, id, request_sha256) VALUES ($1, $2::uuid, $3)
     ON CONFLICT DO NOTHING RETURNING id::text, request_sha256, answer`,
    [key, newId(), request],
  );
  return rows[0];
}

/** Stores the answer of a call that has none yet. */
export async function keepAnswer(
  session: SqlSession,
  { key }: CallDigests,
  id: string,
  answer: Uint8Array,
): Promise<void> {
  await session.query(
    'UPDATE idempotent_call SET answer = $3 WHERE key_sha256 = $1 AND id = $2::uuid AND answer IS NULL',
    [key, id, answer],
  );
}

/** Frees the key of an act that was refused after it began. */
export async function forgetCall(session: SqlSession, { key }: CallDigests, id: string): Promise<void> {
  await session.query(
    'DELETE FROM idempotent_call WHERE key_sha256 = $1 AND id = $2::uuid AND answer IS NULL',
    [key, id],
  );
}

/** Longer than any client retries an unanswered call. */
const KEPT_DAYS = 7;
const EVERY_MS = 3_600_000;
const CHUNK = 500;

/** Deletes idempotency keys that were used more than seven days ago, by the database clock. */
export const forgetOldCalls: Sweep<{ readonly pool: Pool }> = {
  found: 'old idempotency keys deleted',
  everyMs: EVERY_MS,
  async run({ pool }) {
    const { rowCount } = await pool.query(
      `DELETE FROM idempotent_call WHERE key_sha256 IN (
         SELECT key_sha256 FROM idempotent_call
          WHERE begun_at < statement_timestamp() - $1::int * interval '1 day'
          ORDER BY begun_at LIMIT $2::int FOR UPDATE SKIP LOCKED)`,
      [KEPT_DAYS, CHUNK],
    );
    const count = rowCount ?? 0;
    return { count, more: count === CHUNK };
  },
};
