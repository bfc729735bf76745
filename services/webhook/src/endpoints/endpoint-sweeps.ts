import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { FAILING_AFTER_MS } from '../model/endpoint-streak.ts';
import { notifyFailingEndpoints as notify } from '../store/endpoint-health.sql.ts';
import { expirePausedOfDisabled } from './paused-deliveries.sql.ts';

const SWEEP_EVERY_MS = 60_000;
const EXPIRED_AT_ONCE = 500;

/**
 * Expires deliveries that have waited too long for their disabled endpoint; old events of an enabled endpoint keep
 * their schedule. Implements docs/contract.md, section 7.
 */
export const expirePaused: Sweep<Context> = {
  found: 'paused deliveries expired',
  everyMs: SWEEP_EVERY_MS,
  async run({ pool, pausedDeliveryMs, countExpired }) {
    const count = await expirePausedOfDisabled(pool, pausedDeliveryMs, EXPIRED_AT_ONCE);
    countExpired(count);
    return { count, more: count === EXPIRED_AT_ONCE };
  },
};

const NOTIFIED_AT_ONCE = 100;

/** Notifies operators, once for each streak, of endpoints at which every attempt has failed for an hour. */
export const notifyFailingEndpoints: Sweep<Context> = {
  found: 'failing endpoints notified',
  everyMs: SWEEP_EVERY_MS,
  async run({ db, log }) {
    const notified = await notify(db, FAILING_AFTER_MS, NOTIFIED_AT_ONCE);
    for (const { endpointId, accountId, environment, failedAttempts } of notified) {
      const fields = { endpoint_id: endpointId, account_id: accountId, environment };
      log.warn({ ...fields, count: Number(failedAttempts) }, 'endpoint failing');
    }
    return { count: notified.length, more: notified.length === NOTIFIED_AT_ONCE };
  },
};
