import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions } from '@supplier/lib/data/postgres';
import { Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/**
 * SQL for the time of a statement by the database's clock, in whole milliseconds, the precision of the columns. Only
 * this clock decides when scans are due, leased and parked, because scanners' clocks may differ.
 */
export const NOW = Prisma.raw("date_trunc('milliseconds', statement_timestamp())");

export const { openDatabase, inTransaction } = prismaTransactions<Database, Transaction>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
