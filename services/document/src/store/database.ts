import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions, type SqlSession } from '@supplier/lib/data/postgres';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
/** Also runs SQL, by `query`. */
export type Transaction = Prisma.TransactionClient & SqlSession;

/**
 * SQL for the time of a statement by the database's clock, in whole milliseconds, the precision of the columns. Only
 * this clock decides when scans are due, leased and parked, because scanners' clocks may differ.
 */
export const NOW = "date_trunc('milliseconds', statement_timestamp())";

export const { openDatabase, inTransaction } = prismaTransactions<Database, Prisma.TransactionClient>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
