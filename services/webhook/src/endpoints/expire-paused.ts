import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { expirePausedOfDisabled } from './old-events.sql.ts';

const EVERY_MS = 60_000;
const CHUNK = 500;

/**
 * Ends deliveries that have waited too long for their disabled endpoint; old events of an enabled endpoint keep their
 * schedule. Implements docs/contract.md, section 7.
 */
export const expirePaused: Sweep<Context> = {
  found: 'paused deliveries expired',
  everyMs: EVERY_MS,
  async run({ db, pausedDeliveryMs, countExpired }) {
    const count = await expirePausedOfDisabled(db, pausedDeliveryMs, CHUNK);
    countExpired(count);
    return { count, more: count === CHUNK };
  },
};
