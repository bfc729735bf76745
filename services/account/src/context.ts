import type { ServiceImpl } from '@connectrpc/connect';
import { openPool } from '@supplier/lib/postgres';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/time';
import type { AccountService } from '@supplier/proto/account/v1/account';
import type pg from 'pg';
import type { AccountConfig } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';

/** Everything the operations of this service work with, built once. */
export interface Context {
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly clock: Clock;
  /** First part of every credential. */
  readonly credentialPrefix: string;
}

/** The handlers of the service, by RPC. */
export type Rpcs = ServiceImpl<typeof AccountService>;

export function createContext(
  config: AccountConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  return {
    pool,
    db: overrides.db ?? openDatabase(pool),
    clock: overrides.clock ?? systemClock,
    credentialPrefix: overrides.credentialPrefix ?? config.credentialPrefix,
  };
}
