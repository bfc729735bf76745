import { KeyRing } from '@supplier/lib/data/crypto';
import { openPool } from '@supplier/lib/data/postgres';
import { rpcAccess } from '@supplier/lib/rpc/rpc-client';
import type { RpcHandlers } from '@supplier/lib/rpc/rpc-server';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type RelayWake, relayWakes, type Wakes } from '@supplier/lib/runtime/wakeable';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import type { DocumentService } from '@supplier/proto/document/v1/document';
import type pg from 'pg';
import type { DocumentConfig } from './config.ts';
import type { DocumentLimits } from './model/limits.ts';
import { type ObjectStore, startObjectStore } from './object-store/index.ts';
import { type Database, openDatabase } from './store/database.ts';
import {
  acceptedFinder,
  type FindAccepted,
  type FindHeld,
  type FindOwners,
  type FindSubmission,
  heldFinder,
  ownersFinder,
  submissionClient,
  submissionFinder,
} from './submission-client.ts';

/** The dependencies of the service's operations, built once. */
export interface Context {
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly clock: Clock;
  /** The process's monotonic clock, in milliseconds, for the age of answers and the time limits of calls. */
  readonly elapsedMs: () => number;
  readonly wakes: Wakes<RelayWake>;
  readonly keyRing: KeyRing;
  readonly store: ObjectStore;
  readonly limits: DocumentLimits;
  readonly findSubmission: FindSubmission;
  readonly findAccepted: FindAccepted;
  readonly findHeld: FindHeld;
  readonly findOwners: FindOwners;
}

export type Rpcs = RpcHandlers<typeof DocumentService>;

/**
 * Builds the context of the process; `overrides` replace the parts that would be built. Rejects when the key ring is
 * unusable or the upload listener cannot start, so that the process does not start.
 */
export async function createContext(
  config: DocumentConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Promise<Context> {
  const pool = overrides.pool ?? openPool(config, process);
  const wakes = overrides.wakes ?? relayWakes();
  const clock = overrides.clock ?? systemClock;
  const keyRing = overrides.keyRing ?? KeyRing.fromFile(config.keyRingFile);
  const { store: storeConfig, uploadListener, submissionUrl, limits } = config;
  const submissions = () => submissionClient(submissionUrl, rpcAccess(config, process.log));
  return {
    pool,
    db: overrides.db ?? openDatabase(pool, wakes.relay),
    clock,
    elapsedMs: overrides.elapsedMs ?? (() => performance.now()),
    wakes,
    keyRing,
    store:
      overrides.store ??
      (await startObjectStore(process, { store: storeConfig, uploads: uploadListener, keyRing, clock })),
    limits: overrides.limits ?? limits,
    findSubmission: overrides.findSubmission ?? submissionFinder(submissions()),
    findAccepted: overrides.findAccepted ?? acceptedFinder(submissions()),
    findHeld: overrides.findHeld ?? heldFinder(submissions()),
    findOwners: overrides.findOwners ?? ownersFinder(submissions()),
  };
}
