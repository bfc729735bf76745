import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { firstInside } from '../own-namespaces.ts';
import { asUser, type RootOptions, rootScript } from './container-root.ts';

export interface Ending {
  readonly exitCode: number;
  /** Its number, where a signal ended it. */
  readonly signal?: number;
  readonly finishedAt: Date;
}

export interface ContainerProcess {
  readonly startedAt: Date;
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<Ending>;
  /** To its first process; with SIGKILL all of them end. */
  signal(name: NodeJS.Signals): void;
  /** Runs a program beside it, in the same place and as the same user; ends it by force when its time is over. */
  exec(command: readonly string[], withinMs: number): Promise<ExecOutcome>;
}

export interface ExecOutcome {
  readonly exitCode: number;
  readonly output: string;
}

export interface ProcessOptions {
  readonly root: RootOptions;
  /** Whose network, host name and shared memory it gets. */
  readonly pause: number;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Flags of setpriv. */
  readonly privileges: readonly string[];
  /** Path of the file that it writes to. */
  readonly log: string;
}

/** A container whose program could not be started at all; its log says why. */
export class NotStarted extends Error {}

const NSENTER = '/usr/bin/nsenter';
const UNSHARE = ['/usr/bin/unshare', '--mount', '--pid', '--fork', '--kill-child=SIGKILL'];
const OUTPUT_LIMIT = 10 * 1024;

/** Starts a container's process. Resolves when its program runs; rejects with NotStarted. */
export async function startProcess(options: ProcessOptions): Promise<ContainerProcess> {
  const { root, pause, environment, privileges } = options;
  const of = (pid: number, ...kinds: string[]) => ['--target', String(pid), ...kinds, '--'];
  const program = asUser(privileges, root.workingDirectory, options.command);
  const shell = ['/bin/sh', '-c', rootScript(root), 'container', ...program];
  const log = openSync(options.log, 'a', 0o600);
  const child = spawn(NSENTER, [...of(pause, '--net', '--uts', '--ipc'), ...UNSHARE, ...shell], {
    cwd: '/',
    env: environment,
    // A group of its own: what a terminal sends to this process is not meant for it.
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', () => resolve({ exitCode: 128, finishedAt: new Date() }));
    child.once('exit', (code, name) => {
      const signal = name === null ? undefined : constants.signals[name];
      const exitCode = code ?? 128 + (signal ?? 0);
      resolve({ exitCode, ...(signal === undefined ? {} : { signal }), finishedAt: new Date() });
    });
  });
  await hasStarted(child.stdio[3], ended);
  // None where it has ended already.
  const pid = firstInside(child.pid ?? 0) ?? 0;

  let over = false;
  void ended.then(() => {
    over = true;
  });
  return {
    startedAt: new Date(),
    pid,
    ended,
    signal(name) {
      // Until it was waited for, its number is not another's.
      if (over || pid === 0) return;
      try {
        process.kill(pid, name);
      } catch {
        // It is ending.
      }
    },
    exec(command, withinMs) {
      const limited = ['/usr/bin/timeout', '--signal=KILL', String(withinMs / 1000), ...command];
      const line = asUser(privileges, root.workingDirectory, limited);
      const args = [...of(pid, '--mount', '--net', '--uts', '--ipc', '--pid'), ...line];
      return new Promise((resolve) => {
        const limits = { maxBuffer: 1 << 20, timeout: withinMs + 5_000, killSignal: 'SIGKILL' as const };
        const run = execFile(NSENTER, args, { cwd: '/', env: environment, ...limits }, (_error, out, err) =>
          resolve({ exitCode: run.exitCode ?? 137, output: `${out}${err}`.slice(0, OUTPUT_LIMIT) }),
        );
        run.stdin?.end();
      });
    },
  };
}

async function hasStarted(from: unknown, ended: Promise<Ending>): Promise<void> {
  const pipe = from as NodeJS.ReadableStream;
  const said = Promise.race([once(pipe, 'data').then(() => true), once(pipe, 'end').then(() => false)]);
  if (await said) {
    pipe.resume();
    return;
  }
  const { exitCode } = await ended;
  throw new NotStarted(`its files could not be put together (exit code ${exitCode})`);
}
