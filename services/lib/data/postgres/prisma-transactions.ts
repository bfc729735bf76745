import type { Pool } from 'pg';
import { withoutStatementsAfterEnd } from './ended-transactions.ts';

/** How long a transaction may wait for a connection and then run, in milliseconds. */
const LIMITS = { maxWait: 2_000, timeout: 5_000 };

/** The part that every generated Prisma client has. */
interface PrismaClientOf<Transaction> {
  $transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    limits: { maxWait: number; timeout: number },
  ): Promise<Result>;
}

/** A service's database through its generated Prisma client. */
export interface PrismaTransactions<Client, Transaction> {
  /** Opens the database over `pool`, which the caller ends. `onCommit` is called after every committed transaction. */
  openDatabase(pool: Pool, onCommit?: () => void): Client;
  /** Runs `work` in one transaction of at most 5 s. Rejects if no connection is free within 2 s. */
  inTransaction<Result>(db: Client, work: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

/** Creates both functions for a generated client, which `connect` opens over a pool. For SQL see `inTransaction`. */
export function prismaTransactions<Client extends PrismaClientOf<Transaction>, Transaction>(
  connect: (pool: Pool) => Client,
): PrismaTransactions<Client, Transaction> {
  const onCommits = new WeakMap<Client, () => void>();
  return {
    openDatabase(pool, onCommit = () => {}) {
      const db = connect(withoutStatementsAfterEnd(pool));
      onCommits.set(db, onCommit);
      return db;
    },
    async inTransaction(db, work) {
      const result = await db.$transaction(work, LIMITS);
      onCommits.get(db)?.();
      return result;
    },
  };
}
