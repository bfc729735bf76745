import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { tellFailingEndpoints as tellOf } from '../db/endpoint-health.ts';
import { FAILING_AFTER_MS } from '../domain/endpoint-streak.ts';

const EVERY_MS = 60_000;
const CHUNK = 100;

/** Tells operators, once for each streak, of endpoints at which every attempt has failed for an hour. */
export const tellFailingEndpoints: Sweep<Context> = {
  found: 'told of failing endpoints',
  everyMs: EVERY_MS,
  async run({ db, log }) {
    const told = await tellOf(db, FAILING_AFTER_MS, CHUNK);
    for (const { endpointId, accountId, environment, failedAttempts } of told) {
      const fields = { endpoint_id: endpointId, account_id: accountId, environment };
      log.warn({ ...fields, count: Number(failedAttempts) }, 'an endpoint has been failing for an hour');
    }
    return { count: told.length, more: told.length === CHUNK };
  },
};
