import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '1g';

/** A separate file system in memory that can become full. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves no space. */
  fill(): void;
  /** Ends that. */
  free(): void;
  remove(): void;
}

/** Returns why this machine can't have such a disk; undefined if it can. */
export function lacksSmallDisk(): string | undefined {
  if (process.platform !== 'linux')
    return `file systems in memory need Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'only root can mount a file system';
  try {
    remove(mountNew());
    return undefined;
  } catch (error) {
    return `a file system cannot be mounted here: ${error instanceof Error ? error.message.trim() : 'unknown'}`;
  }
}

/** Mounts a disk, which is removed when this process exits at the latest. */
export function makeSmallDisk(): SmallDisk {
  const path = mountNew();
  const removeIt = () => remove(path);
  process.once('exit', removeIt);
  return {
    path,
    fill() {
      for (let tries = 1; ; tries++)
        try {
          const { blocks, bfree, bsize } = statfsSync(path);
          return run('mount', '-o', `remount,size=${(blocks - bfree) * bsize}`, path);
        } catch (error) {
          // A program may have written more in the meantime.
          if (tries === 10) throw error;
        }
    },
    free: () => run('mount', '-o', `remount,size=${SIZE}`, path),
    remove: removeIt,
  };
}

function mountNew(): string {
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', path);
    return path;
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
}

function remove(path: string): void {
  // Works even if a file on it is still open.
  spawnSync('umount', ['--lazy', path], { stdio: 'ignore' });
  rmSync(path, { recursive: true, force: true });
}

/** Throws with the program's output. */
function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: 60_000 });
}
