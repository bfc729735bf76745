import { requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import type { Context, PrivacyRpcs } from '../context.ts';
import { keptSince, summariseExpired } from './retention.sql.ts';

const MAX_COUNTED = 100_000;

/**
 * Previews what retention would erase, now or at another time, counted up to 100,000. Implements docs/contract.md,
 * section 10.
 */
export function previewRetention({ workPool, clock, config }: Context): PrivacyRpcs['previewRetention'] {
  return async ({ at, accountId }) => {
    const since = keptSince(config.retention, at ? toDate(at) : clock.now());
    const account = accountId === undefined ? undefined : requestedId<AccountId>('account_id', accountId);
    const { groups, firstIds } = await summariseExpired(workPool, since, account, MAX_COUNTED);
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    return {
      groups: groups.map(({ account_id, environment, month, accepted, count: inGroup }) => ({
        accountId: account_id,
        environment,
        month,
        accepted,
        count: inGroup,
      })),
      count: Math.min(count, MAX_COUNTED),
      atLeast: count >= MAX_COUNTED,
      firstIds: [...firstIds],
      ...config.retention,
    };
  };
}
