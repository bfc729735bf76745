import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/**
 * The time of a statement by the database's clock, in SQL. What is due, leased or expired is judged by this clock alone:
 * those of the replicas may differ. In whole milliseconds, as columns hold it: a time that were rounded up would not be
 * due yet when it is written.
 */
export const NOW = "date_trunc('milliseconds', statement_timestamp())";

/** How long a transaction may wait for a connection and then last, in milliseconds. */
const LIMITS = { maxWait: 2_000, timeout: 5_000 };

/** What is called after each commit of a transaction. */
const committed = new WeakMap<Database, () => void>();

/**
 * The webhook database over `pool`, whose end stays with whoever opened it. `onCommit` is called
 * after every transaction that was kept.
 */
export function openDatabase(pool: Pool, onCommit: () => void = () => {}): Database {
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  committed.set(db, onCommit);
  return db;
}

/** Runs `work` in one transaction: all of it is kept, or none when it throws or takes longer than five seconds. */
export async function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await db.$transaction(work, LIMITS);
  committed.get(db)?.();
  return result;
}
