import { KeyRing } from '@supplier/lib/data/crypto';
import { type DatabaseClock, databaseClock, openPool, type PoolOptions } from '@supplier/lib/data/postgres';
import { type AccountQueries, accountClient } from '@supplier/lib/rpc/account-client';
import { type IdempotentCalls, openIdempotentCalls } from '@supplier/lib/rpc/idempotency';
import { rpcAccess } from '@supplier/lib/rpc/rpc-client';
import type { RpcHandlers } from '@supplier/lib/rpc/rpc-server';
import type { Logger } from '@supplier/lib/runtime/log';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { createWakes, type RelayWake, type Wakes } from '@supplier/lib/runtime/wakeable';
import type { EndpointId } from '@supplier/lib/text/ids';
import type { Clock } from '@supplier/lib/text/time';
import type { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Pool } from 'pg';
import type { WebhookConfig } from './config.ts';
import { type EventCounts, eventCounts } from './event-counts.ts';
import { type AddressPolicy, addressPolicy } from './model/address-policy.ts';
import { NO_PLACES, type Places } from './model/attempt.ts';
import { type Database, inTransaction, openDatabase, type Transaction } from './store/database.ts';
import { type SubmissionQueries, submissionClient } from './submission-client.ts';

export type Rpcs = RpcHandlers<typeof WebhookService>;

/** Wake-ups for new work, which avoid the wait for the next poll. */
export interface WakeTargets extends RelayWake {
  /** Signals that the endpoint may have an event due. */
  delivery(endpointId: EndpointId): void;
  /** Reserves attempts to an endpoint, for events that are claimed when they are recorded. */
  reserve(endpointId: EndpointId, wanted: number): Places;
}

/** The dependencies of the service's operations, built once. */
export interface Context extends AccountQueries, SubmissionQueries, EventCounts {
  readonly db: Database;
  /** For waiting callers and sweepers. */
  readonly pool: Pool;
  /** For recording changes. */
  readonly intakePool: Pool;
  readonly deliveryPool: Pool;
  /** The database's clock: processes on several machines compare each other's times. */
  readonly clock: Clock;
  /** Whether `clock` is synchronised with the database; the process is not ready before. */
  readonly clockIsKnown: () => boolean;
  readonly log: Logger;
  readonly keyRing: KeyRing;
  readonly policy: AddressPolicy;
  readonly wakes: Wakes<WakeTargets>;
  /** PEM of certificate authorities trusted besides the built-in ones. */
  readonly extraCa: string | undefined;
  readonly idempotent: IdempotentCalls<Transaction>;
  /** Returns how many published changes this service has not consumed; undefined while NATS does not report it. */
  readonly readLag: () => Promise<number | undefined>;
  /** How long a delivery may wait for its disabled endpoint, in milliseconds. */
  readonly pausedDeliveryMs: number;
  /** How long settled events are kept, in milliseconds. */
  readonly retentionMs: number;
  /** How often one of the replicas reconciles changes, in milliseconds. */
  readonly reconcileEveryMs: number;
}

/** Two concurrent sets of changes, and one spare connection. */
const INTAKE_CONNECTIONS = 3;
/** One claim, two lanes of outcomes, one query for due or lost attempts, and one queue reading. */
const DELIVERY_CONNECTIONS = 5;

/**
 * Builds the context of the process. `overrides` replace its parts: with a `pool`, no other is opened. Throws when the
 * key ring is unusable, so that the process does not start.
 */
export function createContext(
  config: WebhookConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  // Separate pools, so that neither a burst of changes nor a backlog of deliveries delays the other.
  const open = (options: PoolOptions) => overrides.pool ?? openPool(config, process, options);
  const pool = open({});
  const clock: Clock & Partial<DatabaseClock> = overrides.clock ?? databaseClock(process, pool);
  const policy = overrides.policy ?? addressPolicy(config.allowedCidrs, config.nat64Prefixes);
  const wakes =
    overrides.wakes ?? createWakes<WakeTargets>({ relay() {}, delivery() {}, reserve: () => NO_PLACES });
  const access = rpcAccess(config, process.log);
  const db = overrides.db ?? openDatabase(pool, wakes.relay);
  return {
    db,
    idempotent: openIdempotentCalls({ pool, transact: (work) => inTransaction(db, work) }),
    pool,
    intakePool: open({ purpose: 'changes', max: INTAKE_CONNECTIONS }),
    deliveryPool: open({ purpose: 'deliveries', max: DELIVERY_CONNECTIONS }),
    clock,
    clockIsKnown: clock.isKnown ?? (() => true),
    log: process.log,
    keyRing: overrides.keyRing ?? KeyRing.fromFile(config.keyRingFile),
    policy,
    wakes,
    readLag: async () => undefined,
    extraCa: config.extraCaFile,
    pausedDeliveryMs: config.pausedDeliveryHours * 3_600_000,
    retentionMs: config.retentionDays * 86_400_000,
    reconcileEveryMs: config.reconcileMinutes * 60_000,
    ...accountClient(config.accountUrl, access),
    ...submissionClient(config.submissionUrl, access),
    ...eventCounts(process.metrics),
    ...overrides,
  };
}
