import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { foldValueNotes } from './value-counts.sql.ts';

const EVERY_MS = 60_000;
const MAX_NOTES = 10_000;

/**
 * Folds what was noted of the ledger into the counts that GetBillableValue reads, so that reading stays quick. Of several
 * processes one does it at a time.
 */
export const foldValue: Sweep<Pick<Context, 'pool'>> = {
  found: 'notes of the ledger folded',
  everyMs: EVERY_MS,
  async run({ pool }) {
    const count = await foldValueNotes(pool, MAX_NOTES);
    return { count, more: count === MAX_NOTES };
  },
};
