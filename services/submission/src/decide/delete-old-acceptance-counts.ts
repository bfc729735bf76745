import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { deleteOldCounts } from '../store/acceptance-counts.sql.ts';

const EVERY_MS = 6 * 3_600_000;
const MAX_ROWS = 5_000;

/** Deletes acceptance counts that no cap needs any more: those of days before the previous month. */
export const deleteOldAcceptanceCounts: Sweep<Pick<Context, 'clock' | 'workPool'>> = {
  found: 'old acceptance counts deleted',
  everyMs: EVERY_MS,
  async run({ clock, workPool }) {
    const count = await deleteOldCounts(workPool, clock.now(), MAX_ROWS);
    return { count, more: count === MAX_ROWS };
  },
};
