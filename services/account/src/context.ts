import { openPool } from '@supplier/lib/data/postgres';
import { type Approvals, type ApprovalsOptions, openApprovals } from '@supplier/lib/governance/approvals';
import { type IdempotentCalls, openIdempotentCalls } from '@supplier/lib/rpc/idempotency';
import type { RpcHandlers } from '@supplier/lib/rpc/rpc-server';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type RelayWake, relayWakes, type Wakes } from '@supplier/lib/runtime/wakeable';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import type { AccountService } from '@supplier/proto/account/v1/account';
import type pg from 'pg';
import type { AccountConfig } from './config.ts';
import { type Database, inTransaction, openDatabase, type Transaction } from './store/database.ts';

/** Dependencies of this service's operations, built once. */
export interface Context {
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly clock: Clock;
  readonly wakes: Wakes<RelayWake>;
  readonly approvals: Approvals<Transaction>;
  readonly idempotent: IdempotentCalls<Transaction>;
  /** First part of every credential. */
  readonly credentialPrefix: string;
}

export type Rpcs = RpcHandlers<typeof AccountService>;

/** Builds the context of the process; `overrides` are used instead of building their counterparts. */
export function createContext(
  config: AccountConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  const wakes = overrides.wakes ?? relayWakes();
  const clock = overrides.clock ?? systemClock;
  const db = overrides.db ?? openDatabase(pool, wakes.relay);
  const { fourEyes } = config;
  const transact: ApprovalsOptions<Transaction>['transact'] = (work) => inTransaction(db, work);
  return {
    pool,
    db,
    clock,
    wakes,
    approvals: overrides.approvals ?? openApprovals({ pool, transact, clock, fourEyes }),
    idempotent: overrides.idempotent ?? openIdempotentCalls({ pool, transact }),
    credentialPrefix: overrides.credentialPrefix ?? config.credentialPrefix,
  };
}
