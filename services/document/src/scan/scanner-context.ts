import { openPool } from '@supplier/lib/data/postgres';
import type { Logger } from '@supplier/lib/runtime/log';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import type pg from 'pg';
import { type ContentProcess, startContentProcess } from '../content/index.ts';
import { type ObjectStore, openObjectStore } from '../object-store/index.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { CLAMD_BOUNDS, clamdScanner } from './clamd/clamd-scanner.ts';
import type { Scanner } from './malware-scanner.ts';
import type { ScannerConfig } from './scanner-config.ts';
import { type SignatureGate, signatureGate } from './signature-gate.ts';

/** The dependencies of the scanner process, built once. */
export interface Context {
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: ObjectStore;
  readonly scanner: Scanner;
  /** Starts the check of one document of that content type. */
  readonly inspect: (contentType: string) => ContentProcess;
  readonly gate: SignatureGate;
}

/**
 * Builds the context of the scanner process; `overrides` replace the parts that would be built. Does not connect to the
 * store or the scanner yet.
 */
export async function createContext(
  config: ScannerConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Promise<Context> {
  const pool = overrides.pool ?? openPool(config, process);
  const { clock = systemClock, log = process.log } = overrides;
  const { clamd, maxDocumentBytes: largestBytes, isLocal } = config;
  const scanner = overrides.scanner ?? clamdScanner(clamd, CLAMD_BOUNDS, { largestBytes, isLocal });
  return {
    pool,
    db: overrides.db ?? openDatabase(pool),
    clock,
    log,
    store: overrides.store ?? (await openObjectStore(config.store, clock)),
    scanner,
    inspect:
      overrides.inspect ??
      ((contentType) => startContentProcess(contentType, config.content, { socket: config.content.socket })),
    gate: overrides.gate ?? signatureGate({ scanner, policy: config.signatures, clock, log }),
  };
}
