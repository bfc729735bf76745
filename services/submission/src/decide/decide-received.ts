import type { Sweep } from '@supplier/lib/runtime/sweepers';
import { Level } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { deleteOldCounts } from '../store/acceptance-counts.sql.ts';
import {
  type SubmissionRow,
  UNDECIDED_COLUMNS,
  undecidedSubmissionOf,
} from '../store/load-submissions.sql.ts';
import type { Work } from '../work/index.ts';
import { decideSubmissions } from './index.ts';

/**
 * Decides received submissions in the order received: matches, decides, mints and pre-underwrites a whole set in one
 * transaction. Implements docs/contract.md, section 5.
 */
export function decideReceived(context: Context): Work<SubmissionRow> {
  return {
    name: 'decide',
    source: {
      table: 'submission',
      columns: UNDECIDED_COLUMNS,
      pending: `submission w WHERE w.status = 1 AND NOT w.awaits_staff`,
      order: 'w.work_due_at, w.id',
    },
    lanes: 2,
    async run(tx, rows) {
      const submissions = rows.map((row) => undecidedSubmissionOf(context, row));
      const { decided, blocked } = await decideSubmissions(context, tx, submissions);
      const basic = decided.some(({ state }) => state.level === Level.BASIC);
      return {
        deferred: [...blocked.keys()],
        afterCommit() {
          context.counts.countDecided(decided, context.clock.now());
          context.wakes.relay();
          if (basic) context.wakes.unminted();
        },
      };
    },
  };
}

const EVERY_MS = 6 * 3_600_000;
const MAX_ROWS = 5_000;

/** Deletes acceptance counts from before the previous month, which no cap needs. */
export const deleteOldAcceptanceCounts: Sweep<Pick<Context, 'clock' | 'workPool'>> = {
  found: 'old acceptance counts deleted',
  everyMs: EVERY_MS,
  async run({ clock, workPool }) {
    const count = await deleteOldCounts(workPool, clock.now(), MAX_ROWS);
    return { count, more: count === MAX_ROWS };
  },
};
