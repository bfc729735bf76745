import { percentilesOf, requestedDays, type Waited } from '@supplier/lib/rpc/figures';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { requestedEnvironment } from '../requests.ts';
import {
  countDeliveries,
  countFirstAttemptWaits,
  type DeliveryCounts,
  foldDeliveryNotes,
} from './delivery-counts.sql.ts';

/**
 * Counts the events recorded by day and outcome, and returns the time from a change to the first attempt.
 * VALIDATION_ERROR for an empty range, or one of more than 92 days. Implements docs/contract.md, section 11.
 */
export function getDeliveryFigures({ pool }: Pick<Context, 'pool'>): Rpcs['getDeliveryFigures'] {
  return async (request) => {
    const { accountId } = request;
    const range = {
      environment: requestedEnvironment(request.environment),
      days: requestedDays(request.fromDay, request.untilDay),
      accountId: accountId === undefined ? undefined : requestedId<AccountId>('account_id', accountId),
    };
    const [byDay, waits] = await Promise.all([
      countDeliveries(pool, range),
      countFirstAttemptWaits(pool, range),
    ]);
    const waitsOf = Map.groupBy(waits, ({ day }) => day);
    return {
      days: range.days.all.map((day) => ({
        day,
        ...countsOf(byDay.get(day)),
        ...firstAttemptTime(waitsOf.get(day) ?? []),
      })),
      ...firstAttemptTime(waits),
    };
  };
}

const countsOf = (counts: DeliveryCounts | undefined) =>
  counts && {
    recorded: BigInt(counts.recorded),
    delivered: BigInt(counts.delivered),
    deliveredAtFirst: BigInt(counts.at_first),
    exhausted: BigInt(counts.exhausted),
    expired: BigInt(counts.expired),
    superseded: BigInt(counts.superseded),
    dropped: BigInt(counts.dropped),
    pending: BigInt(counts.pending),
  };

function firstAttemptTime(waits: readonly Waited[]) {
  const { p50, p95 } = percentilesOf(waits);
  return p50 === undefined || p95 === undefined ? {} : { firstAttemptP50Ms: p50, firstAttemptP95Ms: p95 };
}

const EVERY_MS = 60_000;
const MAX_NOTES = 10_000;

/**
 * Folds notes about events into the counts that GetDeliveryFigures reads, so that reading stays fast. Only one process
 * folds at a time.
 */
export const foldDeliveries: Sweep<Pick<Context, 'pool'>> = {
  found: 'delivery counts folded',
  everyMs: EVERY_MS,
  async run({ pool }) {
    const count = await foldDeliveryNotes(pool, MAX_NOTES);
    return { count, more: count === MAX_NOTES };
  },
};
