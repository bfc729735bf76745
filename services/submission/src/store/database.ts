import { PrismaPg } from '@prisma/adapter-pg';
import { withoutStatementsAfterEnd } from '@supplier/lib/data/postgres';
import type pg from 'pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

/**
 * Opens the submission database over `pool`, which the caller closes. For queries off the hot path; the rest is SQL.
 */
export function openDatabase(pool: pg.Pool): Database {
  return new PrismaClient({
    adapter: new PrismaPg(withoutStatementsAfterEnd(pool)),
    transactionOptions: { maxWait: 3_500, timeout: 5_000 },
  });
}
