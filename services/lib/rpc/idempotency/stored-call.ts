import type { ClientBase, Pool } from 'pg';
import type { SqlExecutor } from '../../data/postgres/index.ts';
import { newId } from '../../text/ids/index.ts';

/** A connection or transaction, of `pg` or of Prisma. */
export type IdempotencySession = Pick<ClientBase | Pool, 'query'> | Pick<SqlExecutor, '$queryRawUnsafe'>;

/** A call that named a key. */
export interface StoredCall {
  /** What the act names to other services that take part in it. */
  readonly id: string;
  readonly request_sha256: Buffer;
  /** Null while the act is under way, or was interrupted. */
  readonly answer: Uint8Array | null;
}

/** Whose key it is, for which RPC, and the request without it, as digests. */
export interface CallDigests {
  readonly key: Buffer;
  readonly request: Buffer;
}

async function rowsOf<Row extends object>(
  session: IdempotencySession,
  text: string,
  values: readonly (string | number | Uint8Array)[],
): Promise<Row[]> {
  if (!('query' in session)) return session.$queryRawUnsafe<Row[]>(text, ...values);
  return (await session.query<Row>(text, [...values])).rows;
}

/** The call that named the key before, if one did and is still kept. */
export async function findCall(
  session: IdempotencySession,
  { key }: CallDigests,
): Promise<StoredCall | undefined> {
  const [row] = await rowsOf<StoredCall>(
    session,
    'SELECT id::text, request_sha256, answer FROM idempotent_call WHERE key_sha256 = $1',
    [key],
  );
  return row;
}

/** Enters a call; undefined where the key is taken. Waits for a simultaneous call with the same key to commit or roll back. */
export async function insertCall(
  session: IdempotencySession,
  { key, request }: CallDigests,
): Promise<StoredCall | undefined> {
  const [row] = await rowsOf<StoredCall>(
    session,
    `INSERT INTO idempotent_call (key_sha256, id, request_sha256) VALUES ($1, $2::uuid, $3)
     ON CONFLICT DO NOTHING RETURNING id::text, request_sha256, answer`,
    [key, newId(), request],
  );
  return row;
}

/** Keeps the answer of a call that has none yet. */
export async function keepAnswer(
  session: IdempotencySession,
  { key }: CallDigests,
  id: string,
  answer: Uint8Array,
): Promise<void> {
  await rowsOf(
    session,
    `UPDATE idempotent_call SET answer = $3 WHERE key_sha256 = $1 AND id = $2::uuid AND answer IS NULL
     RETURNING 1 AS kept`,
    [key, id, answer],
  );
}

/** Frees the key of an act that was refused after it had begun. */
export async function forgetCall(
  session: IdempotencySession,
  { key }: CallDigests,
  id: string,
): Promise<void> {
  await rowsOf(
    session,
    'DELETE FROM idempotent_call WHERE key_sha256 = $1 AND id = $2::uuid AND answer IS NULL RETURNING 1 AS forgotten',
    [key, id],
  );
}

/** Deletes up to `limit` calls that were begun more than `keptDays` ago by the database's clock, and returns how many. */
export async function deleteOldCalls(
  session: IdempotencySession,
  keptDays: number,
  limit: number,
): Promise<number> {
  const rows = await rowsOf(
    session,
    `DELETE FROM idempotent_call WHERE key_sha256 IN (
       SELECT key_sha256 FROM idempotent_call
        WHERE begun_at < statement_timestamp() - $1::int * interval '1 day'
        ORDER BY begun_at LIMIT $2::int FOR UPDATE SKIP LOCKED)
     RETURNING 1 AS deleted`,
    [keptDays, limit],
  );
  return rows.length;
}
