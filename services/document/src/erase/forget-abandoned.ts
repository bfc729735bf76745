import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { forgetAbandoned as forget } from './delete-documents.sql.ts';

const BATCH = 500;
/** Longer than somebody asks after an upload that came to nothing. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Forgets documents 30 days after they were deleted, where they never were finalized: they have neither bytes nor a name
 * nor a submission, so a legal hold keeps nothing of them, and a supplier can make any number of them. Implements docs/contract.md, section 9.
 */
export const forgetAbandoned: Sweep<Context> = {
  found: 'abandoned uploads forgotten',
  everyMs: 60 * 60_000,
  async run({ db, clock }) {
    const count = await forget(db, new Date(clock.now().getTime() - KEPT_MS), BATCH);
    return { count, more: count === BATCH };
  },
};
