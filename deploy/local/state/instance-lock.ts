import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CannotStart } from '../terminal.ts';
import { readJsonIfPresent } from './private-file.ts';
import { asIdentity, identify, isRunning } from './process-identity.ts';
import { isSystemError } from './system-error.ts';

const TRIES = 3;

/**
 * Makes this process the only stack on a state folder. Returns the function that gives the folder free again.
 * Throws CannotStart when another stack is running on it; what a dead one left is taken over.
 */
export function takeInstanceLock(path: string, statePath: string): () => void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (linked(draft, path)) return () => rmSync(path, { force: true });
      refuseIfOwned(path, statePath);
      clearAbandoned(path, statePath);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new CannotStart(`${path} changes hands all the time: is another stack starting on ${statePath}?`);
}

function refuseIfOwned(path: string, statePath: string): void {
  const owner = asIdentity(readJsonIfPresent(path));
  if (owner && isRunning(owner))
    throw new CannotStart(`a stack is already running on ${statePath} (process ${owner.pid}): stop it first`);
}

/** Renames before looking again: of two starts that see the same dead owner, one may already have replaced the lock. */
function clearAbandoned(path: string, statePath: string): void {
  const aside = `${path}.${process.pid}.abandoned`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  try {
    refuseIfOwned(aside, statePath);
  } catch (error) {
    linked(aside, path);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Linking is the one way to create a file with its whole text and to fail when it exists. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}
