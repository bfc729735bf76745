import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { wakeable } from '@supplier/lib/wakeable';
import type { ServiceContext } from '../context.ts';
import { expireUnfinalized } from './expire-unfinalized.ts';
import { removeObjects } from './remove-objects.ts';
import { retention } from './retention.ts';
import type { Sweep } from './sweep.ts';

const SWEEPS: readonly Sweep[] = [expireUnfinalized, retention, removeObjects];

/** Runs every sweep at its own interval, the first time at once, until the process stops. */
export function startSweepers(process: ServiceProcess, context: ServiceContext): void {
  const done = Promise.all(SWEEPS.map((sweep) => repeat(sweep)));
  process.onStop('sweepers', async () => {
    await done;
  });

  async function repeat(sweep: Sweep): Promise<void> {
    const sleeper = wakeable(process.stopping);
    while (!process.stopping.aborted) {
      if (!(await attempt(sweep))) await sleeper.sleep(sweep.everyMs);
    }
  }

  /** Resolves to whether there is more to do at once. */
  async function attempt(sweep: Sweep): Promise<boolean> {
    try {
      const { count, more } = await sweep.run(context);
      if (count > 0) process.log.info({ count }, sweep.found);
      return more;
    } catch (err) {
      process.log.warn({ err, reason: sweep.found }, 'a sweep failed; trying again');
      return false;
    }
  }
}
