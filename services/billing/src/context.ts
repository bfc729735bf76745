import type { ServiceImpl } from '@connectrpc/connect';
import type { BillingService } from '@supplier/proto/billing/v1/billing';
import type pg from 'pg';
import type { Database } from './db/database.ts';

/** What RPCs work with; built once, by main. */
export interface ServiceContext {
  readonly pool: pg.Pool;
  readonly db: Database;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof BillingService>;
