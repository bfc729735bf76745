import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { claimRemovals, completeRemoval } from '../store/object-removal.ts';

const BATCH = 50;
/** How long a claimed removal cannot be claimed again: a failed one is retried after that. */
const BACK_OFF_MS = 60_000;

/**
 * Removes objects without references from the store. A failed removal is retried a minute later and does not delay the
 * others.
 */
export const removeObjects: Sweep<Context> = {
  found: 'objects removed',
  everyMs: 5_000,
  async run({ db, clock, store }) {
    const now = clock.now();
    const until = new Date(now.getTime() + BACK_OFF_MS);
    const claimed = await claimRemovals(db, { now, until, limit: BATCH });
    let failure: unknown;
    let count = 0;
    for (const removal of claimed) {
      try {
        await store.remove(removal.area, removal.objectKey);
        await completeRemoval(db, removal);
        count += 1;
      } catch (error) {
        failure = error;
        // The others would fail as well, each after its own timeout.
        if (error instanceof StoreUnavailable) break;
      }
    }
    if (failure) throw failure;
    return { count, more: claimed.length === BATCH };
  },
};
