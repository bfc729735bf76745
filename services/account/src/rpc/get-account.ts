import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { findAccount } from '../db/account.ts';
import { waitingTerms } from '../db/scheduled-terms.ts';
import { loosenedLater } from '../domain/loosened.ts';
import { timelineOf } from '../domain/scheduled-terms.ts';
import { accountMessage } from '../messages/account-message.ts';
import { loosenedLaterMessage } from '../messages/scheduled-terms-message.ts';
import { idFrom, unknownAccount } from '../requests/refusals.ts';

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
