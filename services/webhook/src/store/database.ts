import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions, type SqlSession } from '@supplier/lib/data/postgres';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
/** Also runs SQL, by `query`. */
export type Transaction = Prisma.TransactionClient & SqlSession;

/**
 * SQL for the time of a statement by the database's clock. Only this clock decides what is due, leased or expired,
 * since replicas' clocks may differ. Truncated to whole milliseconds, the precision of the columns: a rounded-up time
 * would not be due yet when it is written.
 */
export const NOW = "date_trunc('milliseconds', statement_timestamp())";

export const { openDatabase, inTransaction } = prismaTransactions<Database, Prisma.TransactionClient>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
