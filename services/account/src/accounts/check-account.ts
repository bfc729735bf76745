import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { idFrom, unknownAccount } from '../refusals.ts';
import { accountExists } from '../store/account-rows.ts';

/** Whether there is an account, suspended or not. Throws NOT_FOUND. Implements docs/contract.md, section 11. */
export function checkAccount({ db }: Context): Rpcs['checkAccount'] {
  return async (request) => {
    if (await accountExists(db, idFrom<AccountId>('account_id', request.accountId))) return {};
    throw unknownAccount();
  };
}
