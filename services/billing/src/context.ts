import type { ServiceImpl } from '@connectrpc/connect';
import type { Clock } from '@supplier/lib/time';
import type { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Database } from './db/database.ts';

/** What RPCs and event handlers work with; built once, by main. */
export interface ServiceContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof BillingService>;
