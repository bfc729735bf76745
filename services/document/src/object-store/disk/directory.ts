import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { wakeable } from '@supplier/lib/runtime/wakeable';
import { type Area, StoreUnavailable } from '../object-store.ts';

export const AREAS = ['incoming', 'held', 'clean'] as const satisfies readonly Area[];

/** Keys are random hexadecimal digits; no other input becomes part of a path. */
export const KEY = /^[0-9a-f]{16,128}$/;

/** Longer than any upload may take. */
const ABANDONED_AFTER_MS = 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;

/**
 * Paths below the directory of the store: `<area>/<first two digits>/<key>` for objects, and `temporary/` for files
 * being written. They must share one file system, since links and renames cannot cross.
 */
export interface Layout {
  readonly root: string;
  readonly temporary: string;
  area(area: Area): string;
  shard(area: Area, key: string): string;
  object(area: Area, key: string): string;
  newTemporary(): string;
}

/** Returns the layout below `root`. Its methods throw for an invalid key. */
export function layoutOf(root: string): Layout {
  const temporary = join(root, 'temporary');
  const shard = (area: Area, key: string) => join(root, area, checked(key).slice(0, 2));
  return {
    root,
    temporary,
    area: (area) => join(root, area),
    shard,
    object: (area, key) => join(shard(area, key), key),
    newTemporary: () => join(temporary, randomBytes(16).toString('hex')),
  };
}

function checked(key: string): string {
  if (!KEY.test(key)) throw new Error('invalid object key');
  return key;
}

/** Creates the directories of the store, readable only by their owner. Leaves existing ones unchanged. */
export function setUpDirectories(layout: Layout): Promise<void> {
  return onFiles('create its directories', async () => {
    for (const path of [layout.root, layout.temporary, ...AREAS.map((area) => layout.area(area))])
      await mkdir(path, { recursive: true, mode: 0o700 });
    await syncDirectory(layout.root);
  });
}

/** Syncs a directory so that its entries survive a machine crash. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Removes, now and every hour, the temporary files of processes that exited during a write. */
export function startTemporarySweep(process: ServiceProcess, layout: Layout): void {
  const sleeper = wakeable(process.stopping);
  const done = run();
  process.onStop('sweep of temporary files', () => done);

  async function run(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        const count = await sweepTemporaries(layout, new Date());
        if (count > 0) process.log.info({ count }, 'abandoned temporary files removed');
      } catch (err) {
        process.log.warn({ err }, 'sweep of temporary files failed');
      }
      await sleeper.sleep(SWEEP_EVERY_MS);
    }
  }
}

/** Removes the temporary files unchanged for an hour. Resolves to how many. */
export function sweepTemporaries(layout: Layout, now: Date): Promise<number> {
  return onFiles('sweep temporary files', async () => {
    let count = 0;
    for (const name of await readdir(layout.temporary)) {
      const path = join(layout.temporary, name);
      const found = await unlessAbsent(() => stat(path));
      if (!found || now.getTime() - found.ctimeMs < ABANDONED_AFTER_MS) continue;
      await rm(path, { force: true });
      count += 1;
    }
    return count;
  });
}

/**
 * Runs file system work. Turns file system failures (full, read-only, not permitted, broken, missing) into
 * StoreUnavailable; passes all other errors through.
 */
export async function onFiles<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isFileError(error)) throw new StoreUnavailable(what, error);
    throw error;
  }
}

/** Runs work on a file; resolves to undefined if the file does not exist. */
export async function unlessAbsent<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isFileError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'errno' in error;
}
