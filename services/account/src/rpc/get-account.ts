import type { AccountId } from '@supplier/lib/ids';
import type { Context, Rpcs } from '../context.ts';
import { findAccount } from '../db/account.ts';
import { accountMessage } from '../messages/account-message.ts';
import { idFrom, unknownAccount } from '../requests/refusals.ts';

/** The account as it now is. Throws NOT_FOUND. */
export function getAccount({ db, clock }: Context): Rpcs['getAccount'] {
  return async (request) => {
    const id = idFrom<AccountId>('account_id', request.accountId);
    const account = await findAccount(db, id, clock.now());
    if (!account) throw unknownAccount();
    return accountMessage(account);
  };
}
