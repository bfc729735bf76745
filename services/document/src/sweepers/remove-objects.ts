import type { Sweep } from '@supplier/lib/sweepers';
import type { ServiceContext } from '../context.ts';
import { claimRemovals, forgetRemoval } from '../db/object-removal.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';

const MOST = 50;
/** For as long nobody else takes what is claimed here, and then it is tried again if it failed. */
const BACK_OFF_MS = 60_000;

/**
 * Removes objects that nothing refers to any longer, until the store has. One that fails comes up again a minute later
 * and holds up no other.
 */
export const removeObjects: Sweep<ServiceContext> = {
  found: 'removed objects from the store',
  everyMs: 5_000,
  async run({ db, clock, store }) {
    const now = clock.now();
    const until = new Date(now.getTime() + BACK_OFF_MS);
    const claimed = await claimRemovals(db, { now, until, limit: MOST });
    let failure: unknown;
    let count = 0;
    for (const removal of claimed) {
      try {
        await store.remove(removal.area, removal.objectKey);
        await forgetRemoval(db, removal);
        count += 1;
      } catch (error) {
        failure = error;
        // The store is away: the others would fail as well, each after its own wait.
        if (error instanceof StoreUnavailable) break;
      }
    }
    if (failure) throw failure;
    return { count, more: claimed.length === MOST };
  },
};
