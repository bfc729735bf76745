import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions } from '@supplier/lib/data/postgres';
import { Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/**
 * The time of a statement by the database's clock, in SQL. When scans are due, leased and parked is judged by this clock
 * alone: those of scanners may differ. In whole milliseconds, as columns hold it.
 */
export const NOW = Prisma.raw("date_trunc('milliseconds', statement_timestamp())");

/** The document database through Prisma, and its transactions. */
export const { openDatabase, inTransaction } = prismaTransactions<Database, Transaction>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
