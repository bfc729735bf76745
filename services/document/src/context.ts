import type { ServiceImpl } from '@connectrpc/connect';
import type { KeyRing } from '@supplier/lib/crypto';
import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { Clock } from '@supplier/lib/time';
import type { DocumentService } from '@supplier/proto/document/v1/document';
import type pg from 'pg';
import type { Database } from './db/database.ts';
import type { EnvironmentName } from './domain/environment.ts';
import type { DocumentLimits } from './domain/limits.ts';
import type { ObjectStore } from './object-store/object-store.ts';

/** A supplier's own name for a submission. */
export interface Reference {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
}

/** What RPCs and sweepers work with; built once, by main. */
export interface ServiceContext {
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly clock: Clock;
  readonly ring: KeyRing;
  readonly store: ObjectStore;
  readonly limits: DocumentLimits;
  /** The submission of a reference; undefined when there is none. Rejects when the submission service is away. */
  readonly findSubmission: (reference: Reference) => Promise<SubmissionId | undefined>;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof DocumentService>;
