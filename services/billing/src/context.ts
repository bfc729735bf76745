import { openPool } from '@supplier/lib/data/postgres';
import { type AccountQueries, accountClient } from '@supplier/lib/rpc/account-client';
import { type IdempotentCalls, openIdempotentCalls } from '@supplier/lib/rpc/idempotency';
import { rpcAccess } from '@supplier/lib/rpc/rpc-client';
import type { RpcHandlers } from '@supplier/lib/rpc/rpc-server';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import type { BillingService } from '@supplier/proto/billing/v1/billing';
import type pg from 'pg';
import type { BillingConfig } from './config.ts';
import { type Database, inTransaction, openDatabase, type Transaction } from './store/database.ts';
import { type SubmissionQueries, submissionClient } from './submission-client.ts';

/** Dependencies of this service's operations, built once. */
export interface Context extends AccountQueries, SubmissionQueries {
  readonly clock: Clock;
  readonly pool: pg.Pool;
  /** The same database through Prisma, for what staff do. */
  readonly db: Database;
  readonly idempotent: IdempotentCalls<Transaction>;
}

export type Rpcs = RpcHandlers<typeof BillingService>;

/** Builds the context of the process. `overrides` are used as they are: with a `pool`, no other is opened. */
export function createContext(
  config: BillingConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  const db = openDatabase(pool);
  const access = rpcAccess(config, process.log);
  return {
    clock: systemClock,
    pool,
    db,
    idempotent: openIdempotentCalls({ pool, transact: (work) => inTransaction(db, work) }),
    ...accountClient(config.accountUrl, access),
    ...submissionClient(config.submissionUrl, access),
    ...overrides,
  };
}
