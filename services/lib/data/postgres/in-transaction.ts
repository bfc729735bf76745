import type { Writable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import pg, { type Pool, type PoolClient, type QueryConfig } from 'pg';

/** What was sent over a connection since its transaction began. */
interface Sent {
  /** Answers that are awaited only at the end. */
  readonly unawaited: Promise<unknown>[];
  /** A failure in the driver: the server never saw that statement, and would commit the others. */
  fault?: unknown;
}

const transactions = new WeakMap<PoolClient, Sent>();

/**
 * Runs `work` in one transaction on one connection of the pool: all of it is committed, or, when it throws, nothing;
 * the error is rethrown. Waits for a connection as long as the pool allows; the pool is one of `openPool`, or pipelined
 * like it. Nothing is sent before `BEGIN` was answered: after a failed one each statement would commit by itself. If
 * the last statement was enqueued, `COMMIT` is sent with it and costs no round trip of its own.
 */
export function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inOpenedTransaction(pool, async () => {}, work);
}

/**
 * The same, with statements that go with `BEGIN`, in one round trip. They write nothing, since after a failed `BEGIN`
 * each statement would commit by itself. `work` gets what `opening` resolves to.
 */
export async function inOpenedTransaction<Opened, Result>(
  pool: Pool,
  opening: (tx: PoolClient) => Promise<Opened>,
  work: (tx: PoolClient, opened: Opened) => Promise<Result>,
): Promise<Result> {
  const tx = await pool.connect();
  const sent: Sent = { unawaited: [] };
  const unwatch = watchAnswers(tx, sent);
  transactions.set(tx, sent);
  let broken: Error | undefined;
  try {
    holdUntilNextTick(tx);
    const begun = begin(tx);
    const opened = opening(tx);
    opened.catch(() => {});
    await begun;
    const facts = await opened;
    holdUntilNextTick(tx);
    const result = await work(tx, facts);
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
    // The driver takes a statement that it gave up halfway for prepared, although the server does not know it.
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
 * Sends a statement of a transaction without waiting for its answer: later statements run after it, and the transaction
 * waits for it before it ends, and fails with its error.
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
  // The driver reports statements that it refuses within this turn of the event loop.
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

/** Statements sent until then leave in one packet, which wakes the server once. */
function holdUntilNextTick(tx: PoolClient): void {
  const { stream } = (tx as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
