import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '../service-runtime/index.ts';
import { type Wakeable, wakeable } from '../wakeable/index.ts';

export interface Swept {
  readonly count: number;
  /** Whether there is more to do: another run follows immediately. */
  readonly more: boolean;
  /** Pause before the next run; `everyMs` by default. */
  readonly pauseMs?: number;
}

/** Periodic work, done in runs of bounded size. */
export interface Sweep<Context> {
  /** The log message when a run found something: a short, stable key. */
  readonly found: string;
  /** `warn` if a finding means that another part did not do its work; `info` by default. */
  readonly level?: 'info' | 'warn';
  readonly everyMs: number;
  /** Pause after a failure; `everyMs`, but at least 2 s, by default. */
  readonly retryMs?: number;
  run(context: Context): Promise<Swept>;
}

/** Repeats `attempt` every `everyMs` until it resolves to true or the process stops. */
export async function repeatUntilDone(
  { stopping }: Pick<ServiceProcess, 'stopping'>,
  everyMs: number,
  attempt: () => Promise<boolean>,
): Promise<void> {
  while (!stopping.aborted && !(await attempt()))
    await pause(everyMs, undefined, { signal: stopping, ref: false }).catch(() => {});
}

/** The shortest pause after a failure, in milliseconds. */
const PAUSE_MS = 2_000;

/** Runs each sweep immediately and then at its own interval, until the process stops, which logs `name` if it hangs. */
export function startSweepers<Context>(
  process: ServiceProcess,
  sweeps: readonly Sweep<Context>[],
  context: Context,
  name = 'sweepers',
) {
  const sleepers = new Map(sweeps.map((sweep) => [sweep, wakeable(process.stopping)]));
  const done = Promise.all([...sleepers].map(([sweep, sleeper]) => repeat(sweep, sleeper)));
  process.onStop(name, async () => {
    await done;
  });
  /** Runs a sweep immediately, because there may be work for it. */
  const wake = (sweep: Sweep<Context>) => sleepers.get(sweep)?.wake();
  return { wake };

  async function repeat(sweep: Sweep<Context>, sleeper: Wakeable): Promise<void> {
    while (!process.stopping.aborted) {
      const pauseMs = await attempt(sweep);
      if (pauseMs > 0) await sleeper.sleep(pauseMs);
    }
  }

  /** Resolves to the pause before the next run. */
  async function attempt({
    run,
    found,
    everyMs,
    retryMs = Math.max(everyMs, PAUSE_MS),
    level = 'info',
  }: Sweep<Context>): Promise<number> {
    try {
      const { count, more, pauseMs = everyMs } = await run(context);
      if (count > 0) process.log[level]({ count }, found);
      return more ? 0 : pauseMs;
    } catch (err) {
      process.log.warn({ err, reason: found }, 'sweep failed');
      return retryMs;
    }
  }
}
