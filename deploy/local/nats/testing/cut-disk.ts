import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '96M';
/** The kernel starts no writeback within this time, so that only unsynced data is lost. */
const COMMIT_SECONDS = 300;

/** A separate file system with a simulated power cut. */
export interface CutDisk {
  readonly path: string;
  /** Keeps what has reached the device so far; later writes are lost at `restore`. */
  capture(): void;
  /** Restores the file system to the state of `capture`, at the same path. No file on it may be open. */
  restore(): void;
  /** Unmounts and deletes it. */
  remove(): void;
}

/** Returns why this machine can't have such a disk; undefined if it can. */
export function lacksCutDisk(): string | undefined {
  if (process.platform !== 'linux') return `loop devices need Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'mounting a file takes root';
  try {
    makeCutDisk().remove();
    return undefined;
  } catch (error) {
    return `a file cannot be mounted here: ${error instanceof Error ? error.message.trim() : 'unknown'}`;
  }
}

export function makeCutDisk(): CutDisk {
  const folder = mkdtempSync(join(tmpdir(), 'cut-disk-'));
  const path = join(folder, 'mounted');
  const image = join(folder, 'image');
  const captured = join(folder, 'captured');
  const mount = () => run('mount', '-o', `loop,commit=${COMMIT_SECONDS}`, image, path);
  const remove = () => {
    // Works even if a file on it is still open.
    spawnSync('umount', ['--lazy', path], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  };
  mkdirSync(path);
  try {
    run('truncate', '--size', SIZE, image);
    run('mkfs.ext4', '-q', '-F', image);
    mount();
  } catch (error) {
    remove();
    throw error;
  }
  return {
    path,
    capture: () => run('cp', '--sparse=always', image, captured),
    restore() {
      run('umount', path);
      run('mv', captured, image);
      mount();
    },
    remove,
  };
}

/** Syncs the file, or every file in the folder, with its metadata to disk. */
export function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) sync(join(entry.parentPath, entry.name));
  }
  sync(path);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** Throws with the program's output. */
function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: 60_000 });
}
