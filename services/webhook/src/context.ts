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
import { type Preflight, preflights } from './preflight/preflight.ts';
import { type Database, inTransaction, openDatabase, type Transaction } from './store/database.ts';
import { type SubmissionQueries, submissionClient } from './submission-client.ts';

/** The handlers of the service, by name. */
export type Rpcs = RpcHandlers<typeof WebhookService>;

/** Wake-ups for new work, so that it need not wait for the next poll. */
export interface WakeTargets extends RelayWake {
  /** The endpoint may have something due. */
  delivery(endpointId: EndpointId): void;
  /** Sets aside attempts to an endpoint, for events that are claimed as they are recorded. */
  reserve(endpointId: EndpointId, wanted: number): Places;
}

/** Everything the operations of this service work with, built once. */
export interface Context extends AccountQueries, SubmissionQueries, EventCounts {
  readonly db: Database;
  /** For waiting callers, and for sweepers. */
  readonly pool: Pool;
  /** For recording changes. */
  readonly intakePool: Pool;
  readonly deliveryPool: Pool;
  /** The database's: processes on several machines compare each other's times. */
  readonly clock: Clock;
  /** Whether `clock` is the database's by now: the process is not ready before. */
  readonly clockIsKnown: () => boolean;
  readonly log: Logger;
  readonly keyRing: KeyRing;
  readonly policy: AddressPolicy;
  readonly wakes: Wakes<WakeTargets>;
  readonly preflight: Preflight;
  readonly idempotent: IdempotentCalls<Transaction>;
  /** How many published changes this service has not consumed yet; undefined while NATS does not say. */
  readonly readLag: () => Promise<number | undefined>;
  /** How long a delivery may wait for its disabled endpoint, in milliseconds. */
  readonly pausedDeliveryMs: number;
  /** How long settled events are kept, in milliseconds. */
  readonly retentionMs: number;
  /** How often changes are reconciled by all replicas together, in milliseconds. */
  readonly reconcileEveryMs: number;
}

/** Two sets of changes at once, and one connection to spare. */
const INTAKE_CONNECTIONS = 3;
/** One claim, two lanes of outcomes, one search for due or lost attempts, and one reading of the queue. */
const DELIVERY_CONNECTIONS = 5;

/**
 * Builds the context of the process. Parts in `overrides` are used instead of being built: with a `pool`, no other is
 * opened. Throws when the key ring cannot be used: the process must not start with it.
 */
export function createContext(
  config: WebhookConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  // Separate pools, so that neither a burst of changes nor a backlog of deliveries delays the others.
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
    preflight: preflights({ policy, extraCa: config.extraCa, clock }),
    pausedDeliveryMs: config.pausedDeliveryHours * 3_600_000,
    retentionMs: config.retentionDays * 86_400_000,
    reconcileEveryMs: config.reconcileMinutes * 60_000,
    ...accountClient(config.accountUrl, access),
    ...submissionClient(config.submissionUrl, access),
    ...eventCounts(process.metrics),
    ...overrides,
  };
}
