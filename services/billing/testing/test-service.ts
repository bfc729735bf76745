import { create } from '@bufbuild/protobuf';
import { createTestDatabase, startTestProcess } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { SubmissionBillingSchema } from '@supplier/proto/submission/v1/list_billing';
import { readConfig } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import type { ListedState } from '../src/model/reconciliation.ts';
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
  SSS_EVENT_KEYS_DIR: '/nonexistent',
  SSS_ACCOUNT_URL: 'http://127.0.0.1:9',
  SSS_SUBMISSION_URL: 'http://127.0.0.1:9',
});

export const referenceOf = (submissionId: string): string => `reference of ${submissionId}`;

/**
 * Creates a database with a random name on the TEST_POSTGRES_URL server; the service's clock is fixed at `NOW`. Every
 * account exists, and every submission has a reference and explains its lines, unless `overrides` change that.
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
    listBilled: (ids) => explanationsOf(database.pool, ids),
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

/** Returns the states of submissions that explain exactly the lines in the ledger. */
async function explanationsOf(
  pool: Context['pool'],
  submissionIds: readonly SubmissionId[],
): Promise<ListedState[]> {
  const { rows } = await pool.query<ListedState>(
    `SELECT e.submission_id AS "submissionId", min(e.account_id::text) AS "accountId",
            min(e.billing_model)::text AS "billingModel", true AS "isProduction",
            CASE WHEN count(*) = 1 THEN min(e.occurred_at) END AS "billableAt",
            max(e.occurred_at) FILTER (WHERE e.kind = 'credit') AS "returnedAt"
       FROM ledger_entry e WHERE e.submission_id = ANY($1::uuid[]) GROUP BY e.submission_id`,
    [submissionIds],
  );
  return rows;
}
