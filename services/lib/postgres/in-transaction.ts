import type { Writable } from 'node:stream';
import type { Pool, PoolClient, QueryConfig } from 'pg';

/** Statements that nobody waits for, by the connection of their transaction. */
const enqueued = new WeakMap<PoolClient, Promise<unknown>[]>();

/**
 * Runs `work` in one transaction on one connection of the pool: all of it is kept, or none of it when it throws; what it
 * threw is thrown on. Waits for a connection as long as the pool allows; the pool is one of `openPool`, or pipelined like
 * it. `BEGIN` travels with the first statement, and `COMMIT` with the last one where that was enqueued: neither costs a
 * round trip of its own.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  const tx = await pool.connect();
  const unawaited: Promise<unknown>[] = [];
  enqueued.set(tx, unawaited);
  let broken: Error | undefined;
  try {
    holdUntilNextTick(tx);
    enqueue(tx, { text: 'BEGIN' });
    const result = await work(tx);
    const commit = tx.query('COMMIT');
    unawaited.push(commit);
    await Promise.all(unawaited);
    // PostgreSQL answers the COMMIT of a transaction in which a statement failed with ROLLBACK.
    if ((await commit).command !== 'COMMIT') throw new Error('transaction rolled back');
    return result;
  } catch (error) {
    const [first] = (await Promise.allSettled(unawaited)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    // The state of the connection is unknown when even this fails: the pool closes it and opens another.
    await tx.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    // What follows a failed statement fails because of it.
    throw first ?? error;
  } finally {
    enqueued.delete(tx);
    tx.release(broken);
  }
}

/**
 * Sends a statement of a transaction whose answer nobody needs: whatever is sent later runs after it, and the
 * transaction waits for it before it ends, and fails with its error.
 */
export function enqueue(tx: PoolClient, statement: QueryConfig): void {
  const unawaited = enqueued.get(tx);
  if (!unawaited) throw new Error('a statement can be enqueued in a transaction only');
  const answer = tx.query(statement);
  answer.catch(() => {});
  unawaited.push(answer);
}

/** What is sent until then leaves in one packet: it wakes the server once. */
function holdUntilNextTick(tx: PoolClient): void {
  const { stream } = (tx as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
