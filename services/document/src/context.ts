import type { ServiceImpl } from '@connectrpc/connect';
import type { DocumentService } from '@supplier/proto/document/v1/document';
import type { Database } from './db/database.ts';

/** What the process works with; built once, by main. */
export interface ServiceContext {
  readonly db: Database;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof DocumentService>;
