import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { accountMessage } from '../model/account-message.ts';
import { loosenedLater } from '../model/loosened.ts';
import { timelineOf } from '../model/scheduled-terms.ts';
import { loosenedLaterMessage } from '../model/scheduled-terms-message.ts';
import { idFrom, unknownAccount } from '../refusals.ts';
import { findAccount } from '../store/account-rows.ts';
import { waitingTerms } from '../store/scheduled-terms-rows.ts';

/** The account as it now is. Throws NOT_FOUND. */
export function getAccount({ db, clock }: Context): Rpcs['getAccount'] {
  return async (request) => {
    const id = idFrom<AccountId>('account_id', request.accountId);
    const now = clock.now();
    const account = await findAccount(db, id, now);
    if (!account) throw unknownAccount();
    const waiting = await waitingTerms(db, id, now);
    const loosenings = loosenedLater(timelineOf(account.terms, waiting, now));
    return { ...accountMessage(account), loosenedLater: loosenedLaterMessage(loosenings) };
  };
}
