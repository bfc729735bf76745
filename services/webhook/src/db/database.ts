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

/** The webhook database over `pool`, whose end stays with whoever opened it. */
export function openDatabase(pool: Pool): Database {
  return new PrismaClient({ adapter: new PrismaPg(pool) });
}

/** Runs `work` in one transaction: all of it is kept, or none when it throws or takes longer than five seconds. */
export function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.$transaction(work, LIMITS);
}

/** Resolves when the database answers a query; rejects when it cannot. */
export async function databaseAnswers(db: Database): Promise<void> {
  await db.$queryRaw`SELECT 1`;
}
