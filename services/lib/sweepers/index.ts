import type { ServiceProcess } from '../service-runtime/index.ts';
import { wakeable } from '../wakeable/index.ts';

/** What one run of a sweep came to. */
export interface Swept {
  readonly count: number;
  /** Whether there is more than one run may do: it is followed by another at once. */
  readonly more: boolean;
}

/** Periodic work, done in runs of bounded size. */
export interface Sweep<Context> {
  /** The log message when it found something: a short, stable key. */
  readonly found: string;
  /** `warn` where a finding means that another part did not do its work; `info` by default. */
  readonly level?: 'info' | 'warn';
  /** The pause between two runs, in milliseconds. */
  readonly everyMs: number;
  run(context: Context): Promise<Swept>;
}

/** Runs every sweep at its own interval, the first time at once, until the process stops. */
export function startSweepers<Context>(
  process: ServiceProcess,
  sweeps: readonly Sweep<Context>[],
  context: Context,
): void {
  const done = Promise.all(sweeps.map((sweep) => repeat(sweep)));
  process.onStop('sweepers', async () => {
    await done;
  });

  async function repeat(sweep: Sweep<Context>): Promise<void> {
    const sleeper = wakeable(process.stopping);
    while (!process.stopping.aborted) {
      if (!(await attempt(sweep))) await sleeper.sleep(sweep.everyMs);
    }
  }

  /** Resolves to whether there is more to do at once. */
  async function attempt({ run, found, level = 'info' }: Sweep<Context>): Promise<boolean> {
    try {
      const { count, more } = await run(context);
      if (count > 0) process.log[level]({ count }, found);
      return more;
    } catch (err) {
      process.log.warn({ err, reason: found }, 'sweep failed');
      return false;
    }
  }
}
