import type { Writable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import pg, { type Pool, type PoolClient, type QueryConfig } from 'pg';

/** What was sent over a connection since its transaction began. */
interface Sent {
  /** Answers that nobody waits for before the end. */
  readonly unawaited: Promise<unknown>[];
  /** What came from the driver instead of the server, which knows nothing of that statement and would commit the others. */
  fault?: unknown;
}

const transactions = new WeakMap<PoolClient, Sent>();

/**
 * Runs `work` in one transaction on one connection of the pool: all of it is kept, or none of it when it throws; what it
 * threw is thrown on. Waits for a connection as long as the pool allows; the pool is one of `openPool`, or pipelined like
 * it. Nothing is sent before `BEGIN` was answered: behind one that failed each statement would be kept by itself. `COMMIT`
 * travels with the last statement where that was enqueued, and costs no round trip of its own then.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  const tx = await pool.connect();
  const sent: Sent = { unawaited: [] };
  const unwatch = watchAnswers(tx, sent);
  transactions.set(tx, sent);
  let broken: Error | undefined;
  try {
    await begin(tx);
    holdUntilNextTick(tx);
    const result = await work(tx);
    await commit(tx, sent);
    return result;
  } catch (error) {
    const [first] = (await Promise.allSettled(sent.unawaited)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    // The state of the connection is unknown when even this fails: the pool closes it and opens another.
    await tx.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    // A statement that the driver gave up halfway is unknown to the server, and known by its name to the driver.
    broken ??= asError(sent.fault);
    // What follows a failed statement fails because of it.
    throw first ?? error;
  } finally {
    transactions.delete(tx);
    unwatch();
    tx.release(broken);
  }
}

/**
 * Sends a statement of a transaction whose answer nobody needs: whatever is sent later runs after it, and the
 * transaction waits for it before it ends, and fails with its error.
 */
export function enqueue(tx: PoolClient, statement: QueryConfig): void {
  const sent = transactions.get(tx);
  if (!sent) throw new Error('a statement can be enqueued in a transaction only');
  const answer = tx.query(statement);
  answer.catch(() => {});
  sent.unawaited.push(answer);
}

async function begin(tx: PoolClient): Promise<void> {
  const { command } = await tx.query('BEGIN');
  if (command !== 'BEGIN') throw new Error(`PostgreSQL answered BEGIN with ${command}`);
}

async function commit(tx: PoolClient, sent: Sent): Promise<void> {
  // What the driver refuses of the statements that were just enqueued, it tells within this turn of the event loop.
  if (sent.unawaited.length > 0) await turnOfTheLoop();
  if (sent.fault !== undefined) throw sent.fault;
  const answer = tx.query('COMMIT');
  sent.unawaited.push(answer);
  await Promise.all(sent.unawaited);
  // PostgreSQL answers the COMMIT of a transaction in which a statement failed with ROLLBACK.
  if ((await answer).command !== 'COMMIT') throw new Error('transaction rolled back');
}

/** Notes the first failure that is not the server's, until the returned function is called. */
function watchAnswers(tx: PoolClient, sent: Sent): () => void {
  const query = tx.query;
  const watched = (...statement: unknown[]): unknown => {
    const answer: unknown = Reflect.apply(query, tx, statement);
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError)) sent.fault ??= error;
      });
    return answer;
  };
  Object.assign(tx, { query: watched });
  return () => Object.assign(tx, { query });
}

function asError(fault: unknown): Error | undefined {
  if (fault === undefined) return undefined;
  return fault instanceof Error ? fault : new Error('the database driver failed', { cause: fault });
}

/** What is sent until then leaves in one packet: it wakes the server once. */
function holdUntilNextTick(tx: PoolClient): void {
  const { stream } = (tx as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
