import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/** Prisma over the process's one pool, which the hot statements use too. */
export function openDatabase(pool: pg.Pool): Database {
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 3_500, timeout: 5_000 },
  });
}
