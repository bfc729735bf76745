import { randomBytes } from 'node:crypto';
import { KeyRing } from '@supplier/lib/data/crypto';
import { openPool } from '@supplier/lib/data/postgres';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import type { SessionStore } from './session-store.ts';
import { sessionsInMemory } from './sessions-in-memory.ts';
import { sharedSessions } from './shared-sessions.sql.ts';

const CONNECTIONS = 4;

/** Where all replicas keep sessions. */
export interface SharedSessions {
  readonly databaseUrl: string;
  readonly keyRingFile: string;
}

/** Opens the store of sessions and the keys that seal them: in memory if `shared` is undefined. */
export function openStore(
  process: ServiceProcess,
  shared: SharedSessions | undefined,
): { readonly store: SessionStore; readonly keys: KeyRing } {
  if (!shared) return { store: sessionsInMemory(), keys: ringOfThisProcess() };
  const keys = KeyRing.fromFile(shared.keyRingFile);
  const { databaseUrl } = shared;
  const pool = openPool({ databaseUrl, databasePool: CONNECTIONS }, process, { purpose: 'sessions' });
  return { store: sharedSessions(pool, keys), keys };
}

function ringOfThisProcess(): KeyRing {
  const key = () => randomBytes(32).toString('base64');
  return KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key() }, digestKey: key() }));
}
