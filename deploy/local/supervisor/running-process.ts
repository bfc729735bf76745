import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeExit, withMachineFault } from '../../commands/machine-faults.mjs';
import { waitUntil } from '../wait-until.ts';
import { lastWordsIn } from './last-words.ts';
import type { Program } from './program.ts';

const LARGEST_LOG = 20 * 1024 * 1024;
const READY_POLL_MS = 40;
/** Killed from outside: its last output is unrelated. */
const OUTSIDE: readonly unknown[] = ['SIGKILL', 'SIGTERM', 'SIGINT'];

export type RunningProcess = Awaited<ReturnType<typeof launch>>;

export interface Ending {
  readonly how: string;
  readonly lastWords: string;
}

export const describeEnding = ({ how, lastWords }: Ending) =>
  withMachineFault(lastWords ? `${how}: ${lastWords}` : how);

/** Spawns a program with its output in `<logs>/<name>.log`. */
export async function launch(program: Program, logs: string) {
  await program.prepare?.();
  const logFile = join(logs, `${program.name}.log`);
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const child = spawn(program.command, [...program.args], {
    cwd: program.cwd,
    env: program.env,
    // So that Ctrl-C reaches only the supervisor.
    detached: true,
    stdio: ['ignore', log, log, ...(program.channel ? (['ipc'] as const) : [])],
  });
  closeSync(log);
  const ended = observeEnding(child, () => lastWordsIn(logFile, logStart));
  const pid = await spawned(child);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const kill = () => void child.kill('SIGKILL');
  return {
    pid,
    /** Never rejects. */
    ended,
    kill,
    /** Resolves to false on timeout or when it has ended. */
    ready: async (): Promise<boolean> => {
      const answered = await waitUntil(
        async () => (hasEnded ? false : (await program.isReady()) || undefined),
        { withinMs: program.readyWithinMs, everyMs: READY_POLL_MS },
      );
      return answered === true;
    },
    /** Stops it, by force when it takes too long. */
    stop: async (): Promise<void> => {
      if (hasEnded) return;
      child.kill(program.stopSignal);
      const patience = new AbortController();
      const overdue = pause(program.stopWithinMs, undefined, { signal: patience.signal }).then(
        kill,
        () => undefined,
      );
      await Promise.race([ended, overdue]);
      await ended;
      patience.abort();
    },
  };
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}

function observeEnding(child: ChildProcess, lastWords: () => string): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ how: error.message, lastWords: '' });
    });
    child.once('exit', (code, signal) =>
      resolve({
        how: describeExit(code, signal),
        lastWords: OUTSIDE.includes(signal) ? '' : lastWords(),
      }),
    );
  });
}

/** Opens a log for appending, and rotates a large one. */
function openLog(path: string): number {
  try {
    if (statSync(path).size > LARGEST_LOG) renameSync(path, `${path}.1`);
  } catch {
    // No log yet.
  }
  return openSync(path, 'a', 0o600);
}
