import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { wakeable } from '@supplier/lib/wakeable';
import type { Context } from '../context.ts';
import { sweepNotPreUnderwritten } from './sweep-not-pre-underwritten.ts';
import { sweepUnbilled } from './sweep-unbilled.ts';
import { sweepUndecided } from './sweep-undecided.ts';
import { sweepUnminted } from './sweep-unminted.ts';

const EVERY_MS = 5_000;

/** Looks for work that stands still, and moves it. Resolves to how many it found. */
type Sweep = (context: Context) => Promise<number>;

const SWEEPS: readonly [what: string, sweep: Sweep][] = [
  ['undecided', sweepUndecided],
  ['unminted', sweepUnminted],
  ['not pre-underwritten', sweepNotPreUnderwritten],
  ['unbilled', sweepUnbilled],
];

/** Runs every sweep, one after the other, every five seconds until the process stops. */
export function startSweepers(process: ServiceProcess, context: Context): void {
  const sleeper = wakeable(process.stopping);
  const done = run();
  process.onStop('sweepers', () => done);

  async function run(): Promise<void> {
    while (!process.stopping.aborted) {
      await sleeper.sleep(EVERY_MS);
      for (const [what, sweep] of SWEEPS) {
        if (!process.stopping.aborted) await attempt(what, sweep);
      }
    }
  }

  async function attempt(what: string, sweep: Sweep): Promise<void> {
    try {
      const count = await sweep(context);
      if (count > 0) process.log.warn({ count, reason: what }, 'found work that stood still');
    } catch (err) {
      process.log.warn({ err, reason: what }, 'a sweep failed; trying again');
    }
  }
}
