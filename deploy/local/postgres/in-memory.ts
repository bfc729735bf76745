import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { StateFolder } from '../state/state-folder.ts';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * Returns the state folder with its databases in memory, if there is room. Tests create and drop hundreds of databases
 * with a thousand files each, which takes a fifth of a test run on ext4.
 */
export function databasesInMemory(state: StateFolder): StateFolder {
  if (!hasRoom()) return state;
  removeFromMemory(state);
  const postgres = folderFor(state);
  // Fails if another user created the folder.
  mkdirSync(postgres, { mode: 0o700 });
  return { ...state, postgres };
}

/** Frees the memory after the server has ended. */
export function removeFromMemory(state: StateFolder): void {
  rmSync(folderFor(state), { recursive: true, force: true });
}

const folderFor = ({ path }: StateFolder) =>
  join(MEMORY, `supplier-submissions-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`);

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES;
}
