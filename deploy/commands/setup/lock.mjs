import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FailedStep } from './run-program.mjs';
import { setupState } from './workspace.mjs';

const WAIT_MS = 600_000;
const POLL_MS = 250;
const path = join(setupState, 'lock');

/**
 * Runs `work` while no other set-up of this checkout is at work. Waits at most ten minutes for the other one;
 * a lock whose owner is gone is taken over.
 */
export async function withSetupLock(work) {
  await acquire();
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire() {
  mkdirSync(setupState, { recursive: true });
  let told = false;
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await pause(POLL_MS)) {
    if (take()) return;
    const owner = ownerOf();
    if (owner === undefined) continue;
    if (!isAlive(owner)) clearAbandoned();
    else if (!told) {
      console.log(`waiting for another set-up of this checkout (process ${owner})`);
      told = true;
    }
  }
  throw new FailedStep(`another set-up holds ${path} for more than ten minutes; end it or delete that file`);
}

function take() {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Renames before looking again: of two that see the same dead owner, one may already have replaced the lock. */
function clearAbandoned() {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    const owner = ownerOf(aside);
    if (owner === undefined || isAlive(owner)) linkSync(aside, path);
  } catch {
    // Another one was quicker; the next round looks again.
  }
  rmSync(aside, { force: true });
}

/** The pid in the lock. Undefined while the file is being written or has just gone; a torn file counts as ownerless. */
function ownerOf(file = path) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0) return pid;
    return Date.now() - statSync(file).mtimeMs > 2_000 ? -1 : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  if (pid < 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
