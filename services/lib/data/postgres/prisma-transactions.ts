import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { overriding, withoutStatementsAfterEnd } from './ended-transactions.ts';

/** A pool or connection of `pg`, or a transaction of Prisma. */
export interface SqlSession {
  query<Row extends QueryResultRow>(
    statement: QueryConfig | string,
    values?: unknown[],
  ): Promise<QueryResult<Row>>;
}

/** How long a transaction may wait for a connection and then run, in milliseconds. */
const LIMITS = { maxWait: 2_000, timeout: 5_000 };

interface PrismaClientOf<Transaction> {
  $transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    limits: { maxWait: number; timeout: number },
  ): Promise<Result>;
}

/** The connection that Prisma takes for the transaction that is being opened. */
const opening = new AsyncLocalStorage<{ connection?: PoolClient }>();

/**
 * Creates both functions for a generated client, which `connect` opens over a pool. A transaction also has the method
 * `query` of its connection, for SQL between Prisma's calls.
 */
export function prismaTransactions<Client extends PrismaClientOf<Transaction>, Transaction extends object>(
  connect: (pool: Pool) => Client,
) {
  const onCommits = new WeakMap<Client, () => void>();
  return {
    /** Opens the database over `pool`, which the caller ends. `onCommit` is called after every committed transaction. */
    openDatabase(pool: Pool, onCommit = () => {}): Client {
      const db = connect(withoutStatementsAfterEnd(pool, noteConnection));
      onCommits.set(db, onCommit);
      return db;
    },
    /** Runs `work` in one transaction of at most 5 s. Rejects if no connection is free within 2 s. */
    async inTransaction<Result>(
      db: Client,
      work: (tx: Transaction & SqlSession) => Promise<Result>,
    ): Promise<Result> {
      const opened: { connection?: PoolClient } = {};
      const result = await opening.run(opened, () =>
        db.$transaction((tx) => work(withSql(tx, opened.connection)), LIMITS),
      );
      onCommits.get(db)?.();
      return result;
    },
  };
}

/** The first connection taken is the transaction's own; `work` may take others. */
function noteConnection(connection: PoolClient): void {
  const opened = opening.getStore();
  if (opened) opened.connection ??= connection;
}

function withSql<Transaction extends object>(
  tx: Transaction,
  connection: PoolClient | undefined,
): Transaction & SqlSession {
  if (!connection) throw new Error('invariant violated: a transaction without a connection');
  return overriding(tx, 'query', connection.query) as Transaction & SqlSession;
}
