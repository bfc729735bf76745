import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Outside of the repository: every checkout of this machine uses the same. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');

export interface Programs {
  /** With their versions: another version is another folder. */
  readonly name: string;
  /** How long a build may take, in milliseconds, on a machine that does much else. */
  readonly withinMs: number;
  /** Writes the programs into `folder`, which appears under its name when all of them are there. */
  build(go: string, folder: string): Promise<void>;
}

export const folderOf = ({ name }: Pick<Programs, 'name'>): string => join(CACHE, name);
export const areBuilt = (programs: Pick<Programs, 'name'>): boolean => existsSync(folderOf(programs));

/**
 * Builds programs from Go's module proxy unless they are there; of several processes that ask, one builds. Resolves to
 * their folder. Rejects when Go is missing or a build fails.
 */
export async function builtOnce(programs: Programs): Promise<string> {
  const folder = folderOf(programs);
  const lock = `${folder}.lock`;
  mkdirSync(CACHE, { recursive: true });
  while (!existsSync(folder)) {
    if (!tryLock(lock, programs.withinMs)) {
      await pause(500);
      continue;
    }
    try {
      await build(programs, folder);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return folder;
}

/** True for the one who got it. What a killed run left behind is taken away after the time that a build may take. */
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

async function build(programs: Programs, folder: string): Promise<void> {
  const go = goOnPath();
  if (!go) throw new Error(`there is neither ${folder} nor Go on PATH to build it with`);
  const draft = mkdtempSync(join(CACHE, 'building-'));
  try {
    await programs.build(go, draft);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Where Go is; undefined where it is not. */
export function goOnPath(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'go'));
  return [...candidates, '/usr/local/go/bin/go'].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
