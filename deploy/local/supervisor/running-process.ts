import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../wait-until.ts';
import { lastWordsIn } from './last-words.ts';
import type { Program } from './program.ts';

const LARGEST_LOG = 20 * 1024 * 1024;
const READY_POLL_MS = 40;
/** Ended from outside: whatever the process said last has nothing to do with it. */
const OUTSIDE: readonly unknown[] = ['SIGKILL', 'SIGTERM', 'SIGINT'];

/** One life of a program, from its spawn to its exit. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves, never rejects, with how it ended and what it last said of an error. */
  readonly ended: Promise<Ending>;
  /** Resolves to true when it answers, to false when its time is over or it has ended. */
  ready(): Promise<boolean>;
  /** Asks it to stop, by force when it does not within its time. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

export interface Ending {
  readonly how: string;
  readonly lastWords: string;
}

/** Spawns a program with its output going to `<logs>/<name>.log`. Rejects when it cannot be spawned. */
export async function launch(program: Program, logs: string): Promise<RunningProcess> {
  await program.prepare?.();
  const logFile = join(logs, `${program.name}.log`);
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const child = spawn(program.command, [...program.args], {
    cwd: program.cwd,
    env: program.env,
    // A group of its own: Ctrl-C reaches the supervisor only, which stops the processes in order.
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
    ended,
    kill,
    ready: async () => {
      const answered = await waitUntil(
        async () => (hasEnded ? false : (await program.isReady()) || undefined),
        { withinMs: program.readyWithinMs, everyMs: READY_POLL_MS },
      );
      return answered === true;
    },
    stop: async () => {
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
        how: signal ?? `exit code ${code}`,
        lastWords: OUTSIDE.includes(signal) ? '' : lastWords(),
      }),
    );
  });
}

/** Opens a log for appending; one that has grown large is put aside first, so that two files are the most. */
function openLog(path: string): number {
  try {
    if (statSync(path).size > LARGEST_LOG) renameSync(path, `${path}.1`);
  } catch {
    // There is no log yet.
  }
  return openSync(path, 'a', 0o600);
}
