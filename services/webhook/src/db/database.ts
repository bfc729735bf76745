import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

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

/** Resolves when the database answers a query; rejects when it cannot. */
export async function databaseAnswers(db: Database): Promise<void> {
  await db.$queryRaw`SELECT 1`;
}
