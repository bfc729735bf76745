import { create } from '@bufbuild/protobuf';
import { createTestDatabase, startTestProcess } from '@supplier/lib/testing';
import { SubmissionBillingSchema } from '@supplier/proto/submission/v1/list_billing';
import { readConfig } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { NOW } from './submission-events.ts';

/** The service with its own database per test file. */
export interface TestService {
  readonly context: Context;
  readonly databaseUrl: string;
  /** Drops the database. */
  close(): Promise<void>;
}

const CONFIG = readConfig({
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '1',
  SSS_RPC_H2C_PORT: '2',
  SSS_DATABASE_URL: 'postgresql://127.0.0.1:9/nothing',
  SSS_NATS_URL: 'nats://127.0.0.1:9',
  SSS_ISSUERS_FILE: '/nonexistent',
  SSS_SERVICE_TOKEN_DIR: '/nonexistent',
  SSS_KEY_RING_FILE: '/nonexistent',
  SSS_ACCOUNT_URL: 'http://127.0.0.1:9',
  SSS_SUBMISSION_URL: 'http://127.0.0.1:9',
});

export const referenceOf = (submissionId: string): string => `reference of ${submissionId}`;

/**
 * Creates a database with a random name on the TEST_POSTGRES_URL server; the service's clock is fixed at `NOW`. Every
 * account exists and every submission has a reference, unless `overrides` change that.
 */
export async function openTestService(overrides: Partial<Context> = {}): Promise<TestService> {
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  const process = startTestProcess('billing');
  const context = createContext(CONFIG, process, {
    pool: database.pool,
    clock: { now: () => NOW },
    accountExists: async () => true,
    referencesOf: async (ids) => new Map(ids.map((id) => [id, referenceOf(id)])),
    billingOf: async (submissionId) => create(SubmissionBillingSchema, { submissionId }),
    ...overrides,
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
