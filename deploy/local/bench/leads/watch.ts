import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../../terminal.ts';
import type { BenchReceiver } from '../side-processes.ts';
import type { Workbench } from '../workbench.ts';
import { monotonicMs } from './monotonic.ts';
import { type LookAtQueues, waitingIn } from './queues.ts';
import type { Drained, Sample } from './report.ts';
import type { Sizes } from './sizes.ts';
import { memoryMibOf } from './stack-usage.ts';

const SAMPLE_EVERY_MS = 500;
const TELL_EVERY_MS = 5_000;
const LONGEST_DRAIN_MS = 600_000;

/** Looks at the system twice a second until it is stopped. */
export interface Watch {
  readonly samples: readonly Sample[];
  /**
   * Resolves when webhooks have settled so many leads and no queue holds anything, with the time from `sinceMs` on; or
   * when nothing moves for too long, or it takes more than ten minutes. Never rejects.
   */
  drained(leads: number, sinceMs: number): Promise<Drained>;
  stop(): Promise<void>;
}

/** What of the stage is watched, and how. */
export interface Watched {
  readonly bench: Pick<Workbench, 'pids' | 'progress'>;
  readonly receiver: Pick<BenchReceiver, 'report'>;
  readonly lookAtQueues: LookAtQueues;
  readonly sizes: Pick<Sizes, 'memoryEveryMs' | 'stalledMs'>;
}

/** `what` is what progress lines begin with. */
export function watch({ bench, receiver, lookAtQueues, sizes }: Watched, what: string): Watch {
  const started = monotonicMs();
  const samples: Sample[] = [];
  const stopped = new AbortController();
  let [lastTold, lastMemory] = [started, Number.NEGATIVE_INFINITY];
  let failure: unknown;

  const look = async () => {
    const now = monotonicMs();
    const [queues, { leads }] = await Promise.all([lookAtQueues(), receiver.report()]);
    const withMemory = now - lastMemory >= sizes.memoryEveryMs;
    if (withMemory) lastMemory = now;
    const sample: Sample = {
      atMs: now - started,
      queues,
      ...leads,
      ...(withMemory ? { memory: memoryMibOf(bench.pids()) } : {}),
    };
    samples.push(sample);
    if (now - lastTold < TELL_EVERY_MS) return;
    lastTold = now;
    bench.progress(`  ${what}: ${describe(sample)}`);
  };
  const looking = (async () => {
    while (!stopped.signal.aborted) {
      await look();
      await pause(SAMPLE_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  looking.catch((error: unknown) => {
    failure = error;
  });

  return {
    samples,
    async drained(leads, sinceMs) {
      let [moved, before] = [monotonicMs(), ''];
      for (;;) {
        if (failure !== undefined) return { stalled: `${what}: ${reasonOf(failure)}` };
        const sample = samples.at(-1);
        const now = monotonicMs();
        const lookedAt = started + (sample?.atMs ?? 0);
        if (sample && lookedAt >= sinceMs && sample.settled >= leads && waitingIn(sample.queues) === 0)
          return { drainMs: lookedAt - sinceMs };
        const state = sample ? describe(sample) : '';
        if (state !== before) moved = now;
        before = state;
        const missing = `${what}: of ${leads} leads, ${state}`;
        if (now - moved > sizes.stalledMs)
          return { stalled: `nothing has moved for ${sizes.stalledMs / 1_000} s: ${missing}` };
        if (now - sinceMs > LONGEST_DRAIN_MS)
          return { stalled: `the work was not done within ${LONGEST_DRAIN_MS / 1_000} s: ${missing}` };
        await pause(SAMPLE_EVERY_MS / 5);
      }
    },
    async stop() {
      stopped.abort();
      // What went wrong with looking is told where somebody waits for it.
      await looking.catch(() => undefined);
    },
  };
}

function describe({ queues, decided, settled }: Sample): string {
  const waiting = Object.entries(queues)
    .filter(([, state]) => state.waiting > 0)
    .map(([name, state]) => `${state.waiting} ${name}`);
  return `${decided} decided and ${settled} billed by webhook; waiting: ${waiting.join(', ') || 'nothing'}`;
}
