import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import pg, { type ClientBase, type Pool, type PoolClient, type QueryConfig } from 'pg';

/** The statements sent over a connection since its transaction began. */
interface Sent {
  /** Responses that are only awaited at the end. */
  readonly unawaited: Promise<unknown>[];
  /** A driver failure: the server never received the statement and would commit the others. */
  fault?: unknown;
}

const transactions = new WeakMap<PoolClient, Sent>();

/**
 * Runs `work` in one transaction on one connection: commits all of it, or rolls back and rethrows the error. Waits for
 * a connection as long as the pool allows. The pool must come from `openPool` or be pipelined like it. Nothing is sent
 * before the response to `BEGIN`, because each statement would commit separately after a failed one. If the last
 * statement was enqueued, `COMMIT` is sent with it without an extra round trip.
 */
export function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inOpenedTransaction(pool, async () => {}, work);
}

/**
 * Runs `work` like `inTransaction`, after statements sent together with `BEGIN`. They must not write: after a failed
 * `BEGIN` each would commit separately.
 */
export async function inOpenedTransaction<Opened, Result>(
  pool: Pool,
  opening: (tx: PoolClient) => Promise<Opened>,
  work: (tx: PoolClient, opened: Opened) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const sent: Sent = { unawaited: [] };
  const tx = watching(client, sent);
  transactions.set(tx, sent);
  let broken: Error | undefined;
  try {
    const beginning = begin(tx);
    const opened = opening(tx);
    opened.catch(() => {});
    await beginning;
    const facts = await opened;
    const result = await work(tx, facts);
    await commit(tx, sent);
    return result;
  } catch (error) {
    const [first] = (await Promise.allSettled(sent.unawaited)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    // If even this fails, the state of the connection is unknown: the pool closes it and opens another.
    await tx.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    // The driver considers an abandoned statement prepared, although the server does not know it.
    broken ??= asError(sent.fault);
    // Later failures result from the first failed statement.
    throw first ?? error;
  } finally {
    client.release(broken);
  }
}

/** Runs `work` in one transaction of a session that the caller keeps, such as one that holds a lock. */
export async function inTransactionOf<Result>(
  session: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await session.query('BEGIN');
  try {
    const result = await work();
    await session.query('COMMIT');
    return result;
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Sends a statement without waiting. The transaction waits before it ends, and fails with its error. */
export function enqueue(tx: PoolClient, statement: QueryConfig): void {
  const sent = transactions.get(tx);
  if (!sent) throw new Error('statements can only be enqueued in a transaction');
  const answer = tx.query(statement);
  answer.catch(() => {});
  sent.unawaited.push(answer);
}

async function begin(tx: PoolClient): Promise<void> {
  const { command } = await tx.query('BEGIN');
  if (command !== 'BEGIN') throw new Error(`PostgreSQL answered BEGIN with ${command}`);
}

async function commit(tx: PoolClient, sent: Sent): Promise<void> {
  // The driver reports statements that it rejects within this tick of the event loop.
  if (sent.unawaited.length > 0) await turnOfTheLoop();
  if (sent.fault !== undefined) throw sent.fault;
  const answer = tx.query('COMMIT');
  sent.unawaited.push(answer);
  await Promise.all(sent.unawaited);
  // PostgreSQL responds with ROLLBACK to the COMMIT of a transaction with a failed statement.
  if ((await answer).command !== 'COMMIT') throw new Error('transaction rolled back');
}

/** Returns a view of a connection that records the first failure that does not come from the server. */
function watching(client: PoolClient, sent: Sent): PoolClient {
  const query = (...statement: unknown[]): unknown => {
    const answer: unknown = Reflect.apply(client.query, client, statement);
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError)) sent.fault ??= error;
      });
    return answer;
  };
  return Object.create(client, { query: { value: query, configurable: true, writable: true } });
}

function asError(fault: unknown): Error | undefined {
  if (fault === undefined) return undefined;
  return fault instanceof Error ? fault : new Error('the database driver failed', { cause: fault });
}
