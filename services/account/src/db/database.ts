import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/** How long a transaction may wait for a connection and then last, in milliseconds. */
const LIMITS = { maxWait: 2_000, timeout: 5_000 };

/** Called after each commit of a transaction. */
const committed = new WeakMap<Database, () => void>();

/**
 * The account database over `pool`, which the caller ends. `onCommit` is called after the commit of every transaction.
 */
export function openDatabase(pool: Pool, onCommit: () => void = () => {}): Database {
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  committed.set(db, onCommit);
  return db;
}

/** Runs `work` in one transaction, which is rolled back when it throws or takes longer than five seconds. */
export async function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await db.$transaction(work, LIMITS);
  committed.get(db)?.();
  return result;
}
