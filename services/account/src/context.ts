import { type Approvals, type ApprovalsOptions, openApprovals } from '@supplier/lib/approvals';
import { openPool } from '@supplier/lib/postgres';
import type { RpcHandlers } from '@supplier/lib/rpc-server';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/time';
import type { AccountService } from '@supplier/proto/account/v1/account';
import type pg from 'pg';
import { APPROVABLE_ACTS } from './approvable-acts.ts';
import type { AccountConfig } from './config.ts';
import { type Database, inTransaction, openDatabase, type Transaction } from './db/database.ts';

/** Wakes the relay after a commit, so that new events are published at once and not at its next poll. */
export interface Wakes {
  relay(): void;
  /** Sets what is woken; until then, waking does nothing. Called once, when the relay has been started. */
  connect(targets: Pick<Wakes, 'relay'>): void;
}

/** Everything the operations of this service work with, built once. */
export interface Context {
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly clock: Clock;
  readonly wakes: Wakes;
  readonly approvals: Approvals<Transaction>;
  /** First part of every credential. */
  readonly credentialPrefix: string;
}

/** The handlers of the service, by RPC. */
export type Rpcs = RpcHandlers<typeof AccountService>;

/** Builds the context of the process; `overrides` are used as they are, and not built. */
export function createContext(
  config: AccountConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  const wakes = overrides.wakes ?? createWakes();
  const clock = overrides.clock ?? systemClock;
  const db = overrides.db ?? openDatabase(pool, wakes.relay);
  const { fourEyes } = config;
  const transact: ApprovalsOptions<Transaction>['transact'] = (work) => inTransaction(db, work);
  return {
    pool,
    db,
    clock,
    wakes,
    approvals:
      overrides.approvals ?? openApprovals({ pool, transact, clock, fourEyes, acts: APPROVABLE_ACTS }),
    credentialPrefix: overrides.credentialPrefix ?? config.credentialPrefix,
  };
}

function createWakes(): Wakes {
  let connected: Pick<Wakes, 'relay'> | undefined;
  return {
    relay: () => connected?.relay(),
    connect(targets) {
      connected = targets;
    },
  };
}
