import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stackFile } from './stack.ts';
import { NotYet, waitFor } from './wait.ts';

const TURN_MS = 300_000;

/**
 * Makes this file's tests wait until no other file with the same turn name is using the stack, because one may stop a
 * process that another needs. Call once, at the top of a file.
 */
export function serializeFiles(name: string): void {
  const path = join(dirname(stackFile()), `${name}.turn`);
  beforeAll(
    () =>
      waitFor(
        `the turn of ${name}`,
        async () => {
          if (!take(path)) throw new NotYet('another file is running');
        },
        { withinMs: TURN_MS },
      ),
    TURN_MS,
  );
  afterAll(() => rmSync(path, { force: true }));
}

/** Returns whether the turn was free, or held by a process that no longer runs. */
function take(path: string): boolean {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch {
    if (!isAtWork(path)) rmSync(path, { force: true });
    return false;
  }
}

function isAtWork(path: string): boolean {
  try {
    const holder = Number(readFileSync(path, 'utf8'));
    if (holder === process.pid) return false;
    // The process number is written a moment after the file is created.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch {
    return false;
  }
}
