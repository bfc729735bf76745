import type { Pool } from 'pg';
import { withoutStatementsAfterEnd } from './ended-transactions.ts';

/** How long a transaction may wait for a connection and then run, in milliseconds. */
const LIMITS = { maxWait: 2_000, timeout: 5_000 };

interface PrismaClientOf<Transaction> {
  $transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    limits: { maxWait: number; timeout: number },
  ): Promise<Result>;
}

/** Creates both functions for a generated client, which `connect` opens over a pool. For SQL see `inTransaction`. */
export function prismaTransactions<Client extends PrismaClientOf<Transaction>, Transaction>(
  connect: (pool: Pool) => Client,
) {
  const onCommits = new WeakMap<Client, () => void>();
  return {
    /** Opens the database over `pool`, which the caller ends. `onCommit` is called after every committed transaction. */
    openDatabase(pool: Pool, onCommit = () => {}): Client {
      const db = connect(withoutStatementsAfterEnd(pool));
      onCommits.set(db, onCommit);
      return db;
    },
    /** Runs `work` in one transaction of at most 5 s. Rejects if no connection is free within 2 s. */
    async inTransaction<Result>(db: Client, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
      const result = await db.$transaction(work, LIMITS);
      onCommits.get(db)?.();
      return result;
    },
  };
}
