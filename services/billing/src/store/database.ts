import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions, type SqlSession } from '@supplier/lib/data/postgres';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
/** The tables through Prisma, in a transaction or not. */
export type Tables = Prisma.TransactionClient;
/** Also runs SQL, by `query`. */
export type Transaction = Tables & SqlSession;

export const { openDatabase, inTransaction } = prismaTransactions<Database, Tables>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
