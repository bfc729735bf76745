import { setTimeout as pause } from 'node:timers/promises';
import type { Container, ContainerState, ContainerStatus, Pod } from '../api/objects.ts';
import { type ContainerProcess, type Ending, NotStarted } from './container-process.ts';
import { type Ender, enderOf } from './ending.ts';
import { runProbes } from './probes.ts';
import { runHook, type Target } from './probing.ts';
import { CannotCreate } from './sources.ts';

const RETRY_MS = 1_000;
const FIRST_RESTART_MS = 10_000;
const LONGEST_RESTART_MS = 300_000;
/** Who ran that long starts afresh. */
const FORGET_MS = 600_000;

export interface ContainerOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly kind: 'init' | 'app';
  /** The pod's address, once it has one. */
  address(): string;
  /** Starts its process. Rejects with CannotCreate while something is missing, with NotStarted where it ended at once. */
  start(): Promise<ContainerProcess>;
  /** Called after each change of its status. */
  changed(): void;
  /** Aborted when it is not to be started again. */
  readonly stopping: AbortSignal;
  log(line: string): void;
}

/** One container of a pod, over all its restarts. */
export interface RunningContainer {
  readonly status: ContainerStatus;
  /** Runs it until it is not started again; resolves to its last exit code, undefined where it never ran. Never rejects. */
  run(): Promise<number | undefined>;
  /** Ends the process that there is. */
  end(graceMs: number): Promise<void>;
}

export function containerOf(options: ContainerOptions): RunningContainer {
  const { pod, container, kind, stopping } = options;
  let status: ContainerStatus = {
    ...{ name: container.name, image: container.image ?? '', imageID: '', ready: false, started: false },
    ...{
      restartCount: 0,
      state: { waiting: { reason: kind === 'app' ? 'PodInitializing' : 'ContainerCreating' } },
    },
  };
  let ender: Ender | undefined;
  /** When it is to have ended, where it was told so before it ran. */
  let endBy = Number.POSITIVE_INFINITY;
  const ranMs: number[] = [];

  function set(change: Partial<ContainerStatus>): void {
    status = { ...status, ...change };
    options.changed();
  }

  function wait(reason: string, message?: string): void {
    const before = status.state?.terminated;
    const lastState: ContainerState = before ? { terminated: before } : (status.lastState ?? {});
    const waiting = { reason, ...(message === undefined ? {} : { message }) };
    set({ state: { waiting }, lastState, ready: false, started: false });
  }

  /** Undefined where it is being stopped before it could start. */
  async function start(): Promise<ContainerProcess | Ending | undefined> {
    while (!stopping.aborted) {
      try {
        return await options.start();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        options.log(`container ${container.name}: ${message}`);
        if (error instanceof NotStarted) return { exitCode: 128, finishedAt: new Date() };
        wait(error instanceof CannotCreate ? error.reason : 'CreateContainerError', message);
        await pause(RETRY_MS, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async function runOnce(process: ContainerProcess, count: number): Promise<Ending> {
    const { startedAt } = process;
    const before = status.state?.terminated;
    set({
      state: { running: { startedAt: startedAt.toISOString() } },
      ...(before ? { lastState: { terminated: before } } : {}),
      ...{ restartCount: count, containerID: `process://${process.pid}`, ready: false, started: false },
    });
    const target: Target = { address: options.address(), container, exec: process.exec };
    const { preStop, postStart } = container.lifecycle ?? {};
    const own = enderOf(process, async (withinMs) => {
      if (preStop)
        await runHook(preStop, target, withinMs).catch((error) => options.log(`preStop: ${error}`));
    });
    ender = own;
    const over = new AbortController();
    void process.ended.then(() => over.abort());
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
    if (stopping.aborted) void own.end(Math.min(graceMs, Math.max(0, endBy - Date.now())));
    if (postStart)
      await runHook(postStart, target, graceMs).catch((error) => {
        options.log(`postStart: ${error}`);
        return own.end(graceMs);
      });
    // An init container is ready when it has done its work.
    if (kind === 'app') void probe(target, over.signal, own);
    const ending = await process.ended;
    ender = undefined;
    return ending;
  }

  function probe(target: Target, signal: AbortSignal, own: Ender): Promise<void> {
    return runProbes({
      ...{ target, stopping, signal },
      started: () => set({ started: true }),
      ready: (ready) => set({ ready }),
      dead(probe, found) {
        options.log(`container ${container.name}: ${found} probe failed, it is ended`);
        const seconds = probe.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
        void own.end(Number(seconds) * 1000);
      },
    });
  }

  function ended(ending: Ending, startedAt: Date): void {
    const { exitCode, signal, finishedAt } = ending;
    const terminated = {
      ...{ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
      ...(signal === undefined ? {} : { signal }),
      ...{ startedAt: startedAt.toISOString(), finishedAt: finishedAt.toISOString() },
    };
    set({ state: { terminated }, ready: kind === 'init' && exitCode === 0, started: false });
  }

  function goesOn(exitCode: number): boolean {
    if (stopping.aborted || pod.spec.restartPolicy === 'Never') return false;
    if (kind === 'app' && (pod.spec.restartPolicy ?? 'Always') === 'Always') return true;
    return exitCode !== 0;
  }

  return {
    get status() {
      return status;
    },
    end(graceMs) {
      endBy = Math.min(endBy, Date.now() + graceMs);
      return ender?.end(graceMs) ?? Promise.resolve();
    },
    async run() {
      let last: number | undefined;
      for (let count = 0; !stopping.aborted; count += 1) {
        const process = await start();
        if (!process) break;
        const startedAt = 'ended' in process ? process.startedAt : process.finishedAt;
        const ending = 'ended' in process ? await runOnce(process, count) : process;
        ended(ending, startedAt);
        last = ending.exitCode;
        if (!goesOn(last)) break;
        ranMs.push(ending.finishedAt.getTime() - startedAt.getTime());
        const delayMs = restartDelayMs(ranMs);
        if (delayMs === 0) continue;
        wait('CrashLoopBackOff', `back-off ${delayMs / 1000}s restarting failed container=${container.name}`);
        await pause(delayMs, undefined, { signal: stopping }).catch(() => undefined);
      }
      return last;
    },
  };
}

/**
 * How long to wait before a container is started again: not at all after its first end, then 10 s, 20 s, up to 5 min.
 * `ends` are the times, in milliseconds, that it ran before each end since it was made.
 */
export function restartDelayMs(ranMs: readonly number[]): number {
  const since = ranMs.slice(ranMs.findLastIndex((ran) => ran >= FORGET_MS) + 1).length;
  return since <= 1 ? 0 : Math.min(FIRST_RESTART_MS * 2 ** (since - 2), LONGEST_RESTART_MS);
}
