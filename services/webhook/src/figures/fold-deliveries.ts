import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { foldDeliveryNotes } from './delivery-counts.sql.ts';

const EVERY_MS = 60_000;
const MAX_NOTES = 10_000;

/**
 * Folds what was noted of events into the counts that GetDeliveryFigures reads, so that reading stays quick. Of several
 * processes one does it at a time.
 */
export const foldDeliveries: Sweep<Pick<Context, 'pool'>> = {
  found: 'notes of deliveries folded',
  everyMs: EVERY_MS,
  async run({ pool }) {
    const count = await foldDeliveryNotes(pool, MAX_NOTES);
    return { count, more: count === MAX_NOTES };
  },
};
