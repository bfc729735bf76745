import type { ServiceImpl } from '@connectrpc/connect';
import type { Clock } from '@supplier/lib/time';
import type { AccountService } from '@supplier/proto/account/v1/account';
import type { Database } from './db/database.ts';

/** What the RPCs work with; built once, by main. */
export interface ServiceContext {
  readonly db: Database;
  readonly clock: Clock;
  /** First part of every credential. */
  readonly credentialPrefix: string;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof AccountService>;
