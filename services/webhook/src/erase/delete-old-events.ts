import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { deleteSettled } from './old-events.sql.ts';

const EVERY_MS = 3_600_000;
const CHUNK = 500;

/**
 * Deletes events whose retention since they were settled has ended, with any outcome. Keeps audit entries and
 * undelivered events. Implements docs/contract.md, section 10.
 */
export const deleteOldEvents: Sweep<Context> = {
  found: 'old events deleted',
  everyMs: EVERY_MS,
  async run({ pool, retentionMs }) {
    const count = await deleteSettled(pool, retentionMs, CHUNK);
    return { count, more: count === CHUNK };
  },
};
