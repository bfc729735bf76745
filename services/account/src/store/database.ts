import { PrismaPg } from '@prisma/adapter-pg';
import { prismaTransactions } from '@supplier/lib/data/postgres';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

export const { openDatabase, inTransaction } = prismaTransactions<Database, Transaction>(
  (pool) => new PrismaClient({ adapter: new PrismaPg(pool) }),
);
