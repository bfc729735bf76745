import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions } from '@supplier/lib/data/postgres';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/**
 * The time of a statement by the database's clock, in SQL. Only this clock decides what is due, leased or expired,
 * since those of the replicas may differ. In whole milliseconds, as columns hold it: a time that was rounded up would
 * not be due yet when it is written.
 */
export const NOW = "date_trunc('milliseconds', statement_timestamp())";

/** The webhook database through Prisma, and its transactions. */
export const { openDatabase, inTransaction } = prismaTransactions<Database, Transaction>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
