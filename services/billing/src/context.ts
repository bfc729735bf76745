import { openPool } from '@supplier/lib/postgres';
import type { RpcHandlers } from '@supplier/lib/rpc-server';
import type { ServiceConfig, ServiceProcess } from '@supplier/lib/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/time';
import type { BillingService } from '@supplier/proto/billing/v1/billing';
import type pg from 'pg';
import { type Database, openDatabase } from './db/database.ts';

/** Everything the operations of this service work with, built once. */
export interface Context {
  readonly clock: Clock;
  readonly pool: pg.Pool;
  /** The same database, for what is not hot. */
  readonly db: Database;
}

/** The handlers of the service, by RPC. */
export type Rpcs = RpcHandlers<typeof BillingService>;

export function createContext(
  config: ServiceConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  return { clock: systemClock, pool, db: openDatabase(pool), ...overrides };
}
