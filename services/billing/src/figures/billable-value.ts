import { MAX_DAYS, requestedDays } from '@supplier/lib/rpc/figures';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { countValue, foldValueNotes, type ValueCounts } from './value-counts.sql.ts';

const MAX_DAYS_BY_MONTH = 366;

/**
 * Returns charges and credits by day or month, and by account. Throws VALIDATION_ERROR for an empty range and for one
 * of more than 92 days, or more than 366 days by month. Implements docs/contract.md, section 11.
 */
export function getBillableValue({ pool }: Pick<Context, 'pool'>): Rpcs['getBillableValue'] {
  return async ({ fromDay, untilDay, byMonth: isByMonth, accountId: named }) => {
    const days = requestedDays(fromDay, untilDay, isByMonth ? MAX_DAYS_BY_MONTH : MAX_DAYS);
    const accountId = named === undefined ? undefined : requestedId<AccountId>('account_id', named);
    const { byPeriod, byAccount } = await countValue(pool, { days, isByMonth, accountId });
    const periods = isByMonth ? [...new Set(days.all.map((day) => day.slice(0, 7)))] : days.all;
    return {
      periods: periods.map((period) => ({ period, ...sumsOf(byPeriod.get(period)) })),
      accounts: [...byAccount].map(([id, counts]) => ({ accountId: id, ...sumsOf(counts) })),
    };
  };
}

const sumsOf = (counts: ValueCounts | undefined) =>
  counts && {
    billableSubmissions: BigInt(counts.charges),
    credits: BigInt(counts.credits),
    chargedPence: BigInt(counts.charged),
    creditedPence: BigInt(counts.credited),
    unpriced: BigInt(counts.unpriced),
  };

const EVERY_MS = 60_000;
const MAX_NOTES = 10_000;

/**
 * Folds ledger notes into the counts that GetBillableValue reads, so that reads stay fast. Only one process folds at a
 * time.
 */
export const foldValue: Sweep<Pick<Context, 'pool'>> = {
  found: 'ledger counts folded',
  everyMs: EVERY_MS,
  async run({ pool }) {
    const count = await foldValueNotes(pool, MAX_NOTES);
    return { count, more: count === MAX_NOTES };
  },
};
