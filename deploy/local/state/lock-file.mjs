// Lock files that name their owner. Plain JavaScript, because the set-up uses it before anything is installed.
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const TRIES = 3;

/** Takes a lock, or returns its owner: undefined if it changed hands meanwhile. Never waits. Takes over the lock of a dead process. */
export function takeLockFile(path) {
  mkdirSync(dirname(path), { recursive: true });
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

/** Identifies a running process; undefined when there is none with this number. */
export function identify(pid) {
  const startedAt = existsSync('/proc/self/stat') ? startTicks(pid) : startDate(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Returns whether this exact process is running, and not another with the same number. */
export function isRunning(identity) {
  return identity?.pid > 1 && identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Returns the running process that holds a lock, if any. */
export function ownerOf(path) {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8'));
    return isRunning(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the lock of a dead owner. Renamed first, because another process may have replaced it; then returns the new owner. */
function clearAbandoned(path) {
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

/** Hard-linking creates a file with its full text, and fails when it exists. */
function linked(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** On Linux: ticks since boot, the 22nd field. The second field, the name, may contain spaces and brackets. */
function startTicks(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startDate(pid) {
  try {
    const date = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return date === '' ? undefined : date;
  } catch {
    return undefined;
  }
}
