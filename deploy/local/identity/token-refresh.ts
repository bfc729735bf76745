import { reasonOf, type Terminal } from '../terminal.ts';
import { REFRESH_MS } from './token-issuer.ts';

const LOOK_EVERY_MS = 60_000;

/**
 * Calls `refresh` often enough that no token runs out. Looks at the clock once a minute instead of setting one long
 * timer: a machine that was asleep has to catch up soon after it wakes.
 */
export function keepTokensFresh(refresh: () => Promise<void>, terminal: Terminal): void {
  let refreshedAt = Date.now();
  setInterval(async () => {
    if (Date.now() - refreshedAt < REFRESH_MS) return;
    try {
      await refresh();
      refreshedAt = Date.now();
    } catch (error) {
      terminal.warn(`the tokens cannot be refreshed, the next try is in a minute: ${reasonOf(error)}`);
    }
  }, LOOK_EVERY_MS).unref();
}
