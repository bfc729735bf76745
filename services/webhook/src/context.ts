import type { ServiceImpl } from '@connectrpc/connect';
import type { KeyRing } from '@supplier/lib/crypto';
import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/ids';
import type { Logger } from '@supplier/lib/log';
import type { Clock } from '@supplier/lib/time';
import type { Handoff } from '@supplier/proto/common/v1/status';
import type { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Pool } from 'pg';
import type { Database } from './db/database.ts';
import type { AddressPolicy } from './domain/address-policy.ts';
import type { EnvironmentName } from './domain/environment.ts';
import type { Fault } from './domain/reconciliation.ts';
import type { Recording } from './domain/recording.ts';
import type { Preflight } from './preflight/index.ts';
import type { ListChanges } from './reconciliation/reconcile-changes.ts';

/** What RPCs and events work with; built once, by main. */
export interface ServiceContext {
  readonly db: Database;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly ring: KeyRing;
  readonly policy: AddressPolicy;
  /** The journey link of a submission that works right now, if it has one. */
  readonly handoffOf: (submissionId: SubmissionId) => Promise<Handoff | undefined>;
  /** Whose submission it is; undefined for an unknown one. */
  readonly ownerOf: (submissionId: SubmissionId) => Promise<SubmissionOwner | undefined>;
  /** Has the present status of a submission emitted anew, within two seconds or not at all; undefined for an unknown one. */
  readonly restate: (
    submissionId: SubmissionId,
    reason: 'test' | 'redelivery',
  ) => Promise<Restatement | undefined>;
  /** The changes of a span of time, page by page. */
  readonly listChanges: ListChanges;
  /** Says that the endpoint may have something due. */
  readonly wake: (endpointId: EndpointId) => void;
  /** How long a delivery may wait for its disabled endpoint, in milliseconds. */
  readonly pausedDeliveryMs: number;
  /** How long what is settled is kept, in milliseconds. */
  readonly retentionMs: number;
  readonly log: Logger;
  /** Counts a change by what it was recorded as. */
  readonly countRecorded: (state: Recording['state']) => void;
  /** Counts deliveries that ended because they had waited too long. */
  readonly countExpired: (count: number) => void;
  /** How often changes are reconciled by all replicas together, in milliseconds. */
  readonly reconcileEveryMs: number;
  /** Counts what a reconciliation found, and how many submissions it had restated. */
  readonly countReconciled: (faults: readonly Fault[], restated: number) => void;
  readonly preflight: Preflight;
}

export interface SubmissionOwner {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
}

/** The event that follows from a restatement. */
export interface Restatement {
  readonly eventId: EventId;
  readonly occurredAt: Date;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof WebhookService>;
