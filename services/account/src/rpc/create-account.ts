import { toJsonString } from '@bufbuild/protobuf';
import { type AccountId, newId } from '@supplier/lib/ids';
import { callerOf } from '@supplier/lib/rpc-server';
import { AccountSchema, AccountState } from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import { insertAccount } from '../db/account.ts';
import { appendAccountChanged } from '../db/account-events.ts';
import { appendAudit } from '../db/audit.ts';
import { inTransaction } from '../db/database.ts';
import type { Account } from '../domain/account.ts';
import { accountMessage } from '../messages/account-message.ts';
import { requestedSettings } from '../requests/requested-settings.ts';

/** Opens an active account at revision 1. Throws VALIDATION_ERROR when the terms or permissions are inconsistent. */
export function createAccount({ db, clock }: Context): Rpcs['createAccount'] {
  return async ({ name, permittedScopes, terms, limits }, call) => {
    const now = clock.now();
    const settings = requestedSettings({ state: AccountState.ACTIVE, permittedScopes, terms, limits });
    const account: Account = { ...settings, id: newId<AccountId>(), name, revision: 1n };
    const answer = accountMessage(account);
    await inTransaction(db, async (tx) => {
      await insertAccount(tx, account, now);
      await appendAccountChanged(tx, account.id, account.revision, now);
      await appendAudit(tx, {
        at: now,
        actor: callerOf(call).subject,
        action: call.method.name,
        accountId: account.id,
        details: toJsonString(AccountSchema, answer),
      });
    });
    return answer;
  };
}
