import { KeyRing } from '@supplier/lib/data/crypto';
import { migrationNames } from '@supplier/lib/data/migrations';
import { databaseReadiness, openPool } from '@supplier/lib/data/postgres';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import type { SessionStore } from './session-store.ts';
import { sharedSessions, unusedSessions } from './shared-sessions.sql.ts';

const CONNECTIONS = 4;

/** Where all replicas keep sessions. */
export interface SharedSessions {
  readonly databaseUrl: string;
  readonly keyRingFile: string;
}

export interface OpenedStore {
  readonly store: SessionStore;
  /** Seals sessions and logins in progress. */
  readonly keys: KeyRing;
  /** Rejects until the sessions have been readable once. */
  readonly readable: () => Promise<void>;
}

/** Opens the store that all replicas share. */
export function openSharedStore(
  process: ServiceProcess,
  {
    shared: { databaseUrl, keyRingFile },
    idleMs,
    folder,
  }: { readonly shared: SharedSessions; readonly idleMs: number; readonly folder: URL },
): OpenedStore {
  const { log } = process;
  const keys = KeyRing.fromFile(keyRingFile);
  const config = { databaseUrl, databasePool: CONNECTIONS };
  const pool = openPool(config, process, { purpose: 'sessions' });
  startSweepers(process, [unusedSessions], { pool, idleMs });
  const ready = databaseReadiness(config, process, {
    table: 'session',
    migrations: migrationNames(folder),
  });
  let wasRead = false;
  return {
    store: sharedSessions({ pool, keys, idleMs, log }),
    keys,
    // Later, calls say what is unavailable.
    async readable() {
      if (!wasRead) await ready();
      wasRead = true;
    },
  };
}
