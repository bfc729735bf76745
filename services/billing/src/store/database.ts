import { PrismaPg } from '@prisma/adapter-pg';
import { withoutStatementsAfterEnd } from '@supplier/lib/data/postgres';
import type { Pool } from 'pg';
import { PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;

/**
 * Opens the billing database over `pool`, which the caller closes. Use it where performance is not critical; other code
 * uses SQL.
 */
export function openDatabase(pool: Pool): Database {
  return new PrismaClient({ adapter: new PrismaPg(withoutStatementsAfterEnd(pool)) });
}
