import type { Client } from '@connectrpc/connect';
import { KeyRing } from '@supplier/lib/data/crypto';
import { type DatabaseClock, databaseClock, inTransaction, openPool } from '@supplier/lib/data/postgres';
import { type Approvals, type ApprovalsOptions, openApprovals } from '@supplier/lib/governance/approvals';
import { createRpcClient, rpcAccess } from '@supplier/lib/rpc/rpc-client';
import type { RpcHandlers } from '@supplier/lib/rpc/rpc-server';
import type { Logger } from '@supplier/lib/runtime/log';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { createWakes, type RelayWake, type Wakes } from '@supplier/lib/runtime/wakeable';
import type { Clock } from '@supplier/lib/text/time';
import { DocumentService } from '@supplier/proto/document/v1/document';
import type { PolicyService } from '@supplier/proto/submission/v1/policies';
import type { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import type { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type pg from 'pg';
import type { SubmissionConfig } from './config.ts';
import { type MatchRule, matchRule } from './model/match-keys.ts';
import { WATCH_BOUNDS, type WatchBounds } from './model/watch-bounds.ts';
import { ActivePolicies } from './store/active-policies.ts';
import { type Database, openDatabase } from './store/database.ts';
import { type SubmissionCounts, submissionCounts } from './store/submission-counts.ts';
import { type SubmissionFinder, submissionFinder } from './store/submissions.sql.ts';

/**
 * The document service deletes the bytes before it responds. The lease of an erasure lasts longer than this timeout.
 */
const ERASE_DOCUMENTS_MS = 10_000;

/** The workers that wait for new work, with the function that wakes each. */
export interface WakeTargets extends RelayWake {
  undecided(): void;
  /** Accepted submissions without their Application. */
  unminted(): void;
  /** Applications that have no pre-underwriting yet. */
  unassessed(): void;
  /** Applicants to erase. */
  erasures(): void;
}

/** Dependencies shared by the operations of this service, created once. */
export interface Context {
  readonly config: Pick<
    SubmissionConfig,
    | 'duplicateWindowDays'
    | 'returnWindowDays'
    | 'pagesUrls'
    | 'arrivalLinkHours'
    | 'handoffLinkHours'
    | 'retention'
  >;
  /** The database clock: processes on different machines compare each other's times. */
  readonly clock: Clock;
  /** Whether `clock` has synchronised with the database. The process is not ready before that. */
  readonly clockIsKnown: () => boolean;
  /** The process's monotonic clock, in milliseconds, used to time out creates. */
  readonly elapsedMs: () => number;
  /** Overrides the database clock for the time of receipt, in tests. */
  readonly receiptClock?: Clock;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly watchBounds: WatchBounds;
  /** Connections for callers: creates, reads, staff. */
  readonly pool: pg.Pool;
  /** Connections for background work, so that it never delays callers. */
  readonly workPool: pg.Pool;
  readonly db: Database;
  readonly submissions: SubmissionFinder;
  /** Called after a commit that leaves work to do, so that the worker does not wait for its next poll. */
  readonly wakes: Wakes<WakeTargets>;
  readonly counts: SubmissionCounts;
  readonly keyRing: KeyRing;
  /** Decides which values are match keys and which are excluded. */
  readonly matchRule: MatchRule;
  readonly policies: ActivePolicies;
  readonly approvals: Approvals<pg.PoolClient>;
  readonly documents: Pick<Client<typeof DocumentService>, 'eraseDocuments'>;
  readonly webhooks: Pick<Client<typeof WebhookService>, 'eraseDeliveries'>;
}

export type Rpcs = RpcHandlers<typeof SubmissionService>;
export type PrivacyRpcs = RpcHandlers<typeof PrivacyService>;
export type PolicyRpcs = RpcHandlers<typeof PolicyService>;

/** Creates the context. Throws if the key ring is unusable, so that the process does not start. */
export function createContext(
  config: SubmissionConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  const access = rpcAccess(config, process.log);
  const clock: Clock & Partial<DatabaseClock> = overrides.clock ?? databaseClock(process, pool);
  const { fourEyes } = config;
  const transact: ApprovalsOptions<pg.PoolClient>['transact'] = (work) => inTransaction(pool, work);
  return {
    config,
    clock,
    clockIsKnown: clock.isKnown ?? (() => true),
    elapsedMs: () => performance.now(),
    log: process.log,
    stopping: process.stopping,
    watchBounds: WATCH_BOUNDS,
    pool,
    workPool: overrides.pool ?? openPool(config, process, { purpose: 'work', max: config.workPool }),
    db: openDatabase(pool),
    submissions: submissionFinder(pool),
    wakes: createWakes<WakeTargets>({
      relay() {},
      undecided() {},
      unminted() {},
      unassessed() {},
      erasures() {},
    }),
    counts: submissionCounts(process.metrics),
    keyRing: overrides.keyRing ?? KeyRing.fromFile(config.keyRingFile),
    matchRule: matchRule(config.ignoredMatchValues),
    policies: new ActivePolicies(),
    approvals: openApprovals({ pool, transact, clock, fourEyes }),
    documents: createRpcClient(DocumentService, {
      baseUrl: config.documentUrl,
      audience: 'document',
      ...access,
      timeoutMs: ERASE_DOCUMENTS_MS,
    }),
    webhooks: createRpcClient(WebhookService, {
      baseUrl: config.webhookUrl,
      audience: 'webhook',
      ...access,
    }),
    ...overrides,
  };
}
