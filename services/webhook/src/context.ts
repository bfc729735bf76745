import { type AccountQueries, accountClient } from '@supplier/lib/account-client';
import { KeyRing } from '@supplier/lib/crypto';
import type { Logger } from '@supplier/lib/log';
import { type DatabaseClock, databaseClock, openPool, type PoolOptions } from '@supplier/lib/postgres';
import { rpcAccess } from '@supplier/lib/rpc-client';
import type { RpcHandlers } from '@supplier/lib/rpc-server';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import type { Clock } from '@supplier/lib/time';
import type { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Pool } from 'pg';
import type { WebhookConfig } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { type AddressPolicy, addressPolicy } from './domain/address-policy.ts';
import { type EventCounts, eventCounts } from './event-counts.ts';
import { type Preflight, preflights } from './preflight/index.ts';
import { type SubmissionQueries, submissionClient } from './submission-client.ts';
import { createWakes, type Wakes } from './wakes.ts';

/** The handlers of the service, by name. */
export type Rpcs = RpcHandlers<typeof WebhookService>;

/** Everything the operations of this service work with, built once. */
export interface Context extends AccountQueries, SubmissionQueries, EventCounts {
  readonly db: Database;
  /** For callers who wait, and for sweepers. */
  readonly pool: Pool;
  /** For recording changes. */
  readonly intakePool: Pool;
  readonly deliveryPool: Pool;
  /** The database's: processes of several machines compare each other's times. */
  readonly clock: Clock;
  /** Whether `clock` is the database's by now: the process is not ready before. */
  readonly clockIsKnown: () => boolean;
  readonly log: Logger;
  readonly keyRing: KeyRing;
  readonly policy: AddressPolicy;
  readonly wakes: Wakes;
  readonly preflight: Preflight;
  /** How many changes are published and not taken here yet; undefined while NATS does not say. */
  readonly readLag: () => Promise<number | undefined>;
  /** How long a delivery may wait for its disabled endpoint, in milliseconds. */
  readonly pausedDeliveryMs: number;
  /** How long what is settled is kept, in milliseconds. */
  readonly retentionMs: number;
  /** How often changes are reconciled by all replicas together, in milliseconds. */
  readonly reconcileEveryMs: number;
}

/** Two sets of changes at once, and one connection to spare. */
const INTAKE_CONNECTIONS = 3;
/** One claim, two lanes of outcomes, one look for what is due or lost, and one reading of the queue. */
const DELIVERY_CONNECTIONS = 5;

/**
 * Builds the context of the process. What `overrides` names is used as it is and not built: with a `pool`, nothing
 * opens another. Throws when the key ring cannot be used: the process must not start with it.
 */
export function createContext(
  config: WebhookConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  // Pools of their own: neither a burst of changes nor a backlog of deliveries keeps the others waiting.
  const open = (options: PoolOptions) => overrides.pool ?? openPool(config, process, options);
  const pool = open({});
  const clock: Clock & Partial<DatabaseClock> = overrides.clock ?? databaseClock(process, pool);
  const policy = overrides.policy ?? addressPolicy(config.allowedCidrs);
  const wakes = overrides.wakes ?? createWakes();
  const access = rpcAccess(config, process.log);
  return {
    db: openDatabase(pool, wakes.relay),
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
