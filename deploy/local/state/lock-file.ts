import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readJsonIfPresent } from './private-file.ts';
import { asIdentity, identify, isRunning, type ProcessIdentity } from './process-identity.ts';
import { isSystemError } from './system-error.ts';

const TRIES = 3;

/** A lock that this process now has, or the process that has it. */
export type LockAttempt = { readonly release: () => void } | { readonly owner: ProcessIdentity | undefined };

/**
 * Takes a lock that is a file naming its owner. What a process left that is gone is taken over. Never waits; the owner
 * is undefined when the lock changed hands while it was looked at.
 */
export function takeLockFile(path: string): LockAttempt {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (linked(draft, path)) return { release: () => rmSync(path, { force: true }) };
      const owner = ownerOf(path) ?? clearAbandoned(path);
      if (owner) return { owner };
    }
    return { owner: undefined };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process that holds a lock and is running. */
function ownerOf(path: string): ProcessIdentity | undefined {
  const owner = asIdentity(readJsonIfPresent(path));
  return owner && isRunning(owner) ? owner : undefined;
}

/**
 * Removes a lock whose owner is gone. Renames before looking again: of two that see the same dead owner, one may already
 * have replaced the lock, and is then answered with.
 */
function clearAbandoned(path: string): ProcessIdentity | undefined {
  const aside = `${path}.${process.pid}.abandoned`;
  try {
    renameSync(path, aside);
  } catch {
    return undefined;
  }
  const owner = ownerOf(aside);
  if (owner) linked(aside, path);
  rmSync(aside, { force: true });
  return owner;
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
