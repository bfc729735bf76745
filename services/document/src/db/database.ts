import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;

/** The document database over `pool`, whose end stays with whoever opened it. */
export function openDatabase(pool: Pool): Database {
  return new PrismaClient({ adapter: new PrismaPg(pool) });
}

/** Resolves when the database answers from a table of this service; rejects when it cannot. */
export async function databaseAnswers(db: Database): Promise<void> {
  await db.document.findFirst({ select: { id: true } });
}
