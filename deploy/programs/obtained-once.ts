import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Outside of the repository: every checkout of this machine uses the same. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');

export interface Programs {
  /** With their versions: another version is another folder. */
  readonly name: string;
  /** How long it may take, in milliseconds, on a machine that does much else. */
  readonly withinMs: number;
  /** Writes the programs into `folder`, which appears under its name when all of them are there. */
  obtain(folder: string): Promise<void>;
}

export const folderOf = ({ name }: Pick<Programs, 'name'>): string => join(CACHE, name);
export const areThere = (programs: Pick<Programs, 'name'>): boolean => existsSync(folderOf(programs));

/**
 * Obtains programs unless they are there; of several processes that ask, one does it. Resolves to their folder. Rejects
 * when they cannot be had.
 */
export async function obtainedOnce(programs: Programs): Promise<string> {
  const folder = folderOf(programs);
  const lock = `${folder}.lock`;
  mkdirSync(CACHE, { recursive: true });
  while (!existsSync(folder)) {
    if (!tryLock(lock, programs.withinMs)) {
      await pause(500);
      continue;
    }
    const draft = mkdtempSync(join(CACHE, 'obtaining-'));
    try {
      await programs.obtain(draft);
      if (!existsSync(folder)) renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return folder;
}

/** True for the one who got it. What a killed run left behind is taken away after the time that it may take. */
function tryLock(lock: string, withinMs: number): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > withinMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
