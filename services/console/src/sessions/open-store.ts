import { randomBytes } from 'node:crypto';
import { KeyRing } from '@supplier/lib/data/crypto';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import type { OpenedStore, SharedSessions } from './open-shared-store.ts';
import { sessionsInMemory } from './sessions-in-memory.ts';

export interface StoreParts {
  /** Undefined: in memory. */
  readonly shared: SharedSessions | undefined;
  readonly idleMs: number;
  /** The folder with prisma/. */
  readonly folder: URL;
  readonly now?: () => number;
}

/** Opens the store of sessions. Loads the database client only if it is needed. */
export async function openStore(
  process: ServiceProcess,
  { shared, idleMs, folder, now = Date.now }: StoreParts,
): Promise<OpenedStore> {
  if (!shared)
    return { store: sessionsInMemory(idleMs, now), keys: ringOfThisProcess(), readable: async () => {} };
  const { openSharedStore } = await import('./open-shared-store.ts');
  return openSharedStore(process, { shared, idleMs, folder });
}

function ringOfThisProcess(): KeyRing {
  const key = () => randomBytes(32).toString('base64');
  return KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key() }, digestKey: key() }));
}
