import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { deleteOldEvents as deleteSettled } from '../endpoints/old-events.sql.ts';

const EVERY_MS = 3_600_000;
const CHUNK = 500;

/**
 * Deletes events that were settled longer ago than events are kept, however they ended. Audit lines and undelivered
 * events stay. Implements docs/contract.md, section 10.
 */
export const deleteOldEvents: Sweep<Context> = {
  found: 'old events deleted',
  everyMs: EVERY_MS,
  async run({ db, retentionMs }) {
    const count = await deleteSettled(db, retentionMs, CHUNK);
    return { count, more: count === CHUNK };
  },
};
