import { percentilesOf, requestedDays, type Waited } from '@supplier/lib/rpc/figures';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { acceptedOf } from '../store/acceptance-counts.sql.ts';
import { countDecisionWaits, countIntake, foldIntake as fold, type OutcomeCounts } from './intake.sql.ts';

const NOTHING: OutcomeCounts = {
  received: 0,
  undecided: 0,
  accepted: 0,
  duplicate: 0,
  rejected: 0,
  returned: 0,
};

/**
 * Returns how many submissions were received by day and account, their outcomes, and how long decisions took. A named
 * account is always included. VALIDATION_ERROR for an empty range or one of more than 92 days. Implements
 * docs/contract.md, section 11.
 */
export function getIntake({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Rpcs['getIntake'] {
  return async ({ environment, fromDay, untilDay, accountId: named }) => {
    const accountId = named === undefined ? undefined : requestedId<AccountId>('account_id', named);
    const range = { environment, days: requestedDays(fromDay, untilDay), accountId };
    const [{ byDay, byAccount }, waits] = await Promise.all([
      countIntake(pool, range),
      countDecisionWaits(pool, range),
    ]);
    if (accountId && !byAccount.has(accountId)) byAccount.set(accountId, NOTHING);
    const accepted = await acceptedOf(pool, [...byAccount.keys()], environment, clock.now());
    const waitsOf = Map.groupBy(waits, ({ day }) => day);
    return {
      days: range.days.all.map((day) => ({
        day,
        ...outcomesOf(byDay.get(day) ?? NOTHING),
        ...decisionTime(waitsOf.get(day) ?? []),
      })),
      accounts: [...byAccount].map(([id, counts]) => ({
        accountId: id,
        ...outcomesOf(counts),
        acceptedToday: BigInt(accepted.get(id)?.today ?? 0),
        acceptedThisMonth: BigInt(accepted.get(id)?.thisMonth ?? 0),
      })),
      ...decisionTime(waits),
    };
  };
}

const outcomesOf = ({ undecided, accepted, duplicate, rejected, returned }: OutcomeCounts) => ({
  undecided: BigInt(undecided),
  accepted: BigInt(accepted),
  duplicates: BigInt(duplicate),
  rejected: BigInt(rejected),
  returned: BigInt(returned),
});

function decisionTime(waits: readonly Waited[]) {
  const { p50, p95 } = percentilesOf(waits);
  return p50 === undefined || p95 === undefined ? {} : { decisionP50Ms: p50, decisionP95Ms: p95 };
}

const EVERY_MS = 60_000;
const MAX_NOTES = 10_000;

/**
 * Folds notes about submissions into the counts that GetIntake reads, to keep reads fast. Only one process folds at a
 * time.
 */
export const foldIntake: Sweep<Pick<Context, 'workPool'>> = {
  found: 'intake counts folded',
  everyMs: EVERY_MS,
  async run({ workPool }) {
    const count = await fold(workPool, MAX_NOTES);
    return { count, more: count === MAX_NOTES };
  },
};
