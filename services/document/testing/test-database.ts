import { createTestDatabase, type TestDatabase as Migrated } from '@supplier/lib/testing';
import { type Database, openDatabase } from '../src/store/database.ts';

/** A migrated database for one test file. */
export interface TestDatabase extends Migrated {
  readonly db: Database;
}

/** Creates a database with a random name on the server of TEST_POSTGRES_URL; `close` drops it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  return { ...database, db: openDatabase(database.pool) };
}
