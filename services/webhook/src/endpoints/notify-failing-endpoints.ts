import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { FAILING_AFTER_MS } from '../model/endpoint-streak.ts';
import { notifyFailingEndpoints as notify } from '../store/endpoint-health.sql.ts';

const EVERY_MS = 60_000;
const CHUNK = 100;

/** Notifies operators, once for each streak, of endpoints at which every attempt has failed for an hour. */
export const notifyFailingEndpoints: Sweep<Context> = {
  found: 'failing endpoints notified',
  everyMs: EVERY_MS,
  async run({ db, log }) {
    const notified = await notify(db, FAILING_AFTER_MS, CHUNK);
    for (const { endpointId, accountId, environment, failedAttempts } of notified) {
      const fields = { endpoint_id: endpointId, account_id: accountId, environment };
      log.warn({ ...fields, count: Number(failedAttempts) }, 'endpoint failing');
    }
    return { count: notified.length, more: notified.length === CHUNK };
  },
};
