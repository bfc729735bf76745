import type { ServiceConfig } from '@supplier/lib/service-runtime';
import { createTestDatabase, startTestProcess } from '@supplier/lib/testing';
import { type Context, createContext } from '../src/context.ts';
import { NOW } from './submission-events.ts';

/** The service on a database of a test file's own. */
export interface TestService {
  readonly context: Context;
  readonly databaseUrl: string;
  /** Drops the database. */
  close(): Promise<void>;
}

/** Makes a database of random name on the server of TEST_POSTGRES_URL; the service's clock stands at `NOW`. */
export async function openTestService(): Promise<TestService> {
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  const process = startTestProcess('billing');
  // The pool is given, and nothing else of the configuration is read.
  const context = createContext({} as ServiceConfig, process, {
    pool: database.pool,
    clock: { now: () => NOW },
  });
  return {
    context,
    databaseUrl: database.databaseUrl,
    async close() {
      await context.db.$disconnect();
      await process.stop();
      await database.close();
    },
  };
}
