import { toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { AccountSchema, AccountState } from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import type { Account } from '../model/account.ts';
import { accountMessage } from '../model/account-message.ts';
import { requestedSettings } from '../requested-settings.ts';
import { appendAccountChanged } from '../store/account-events.ts';
import { insertAccount } from '../store/account-rows.ts';

/** Opens an active account at revision 1, once for an idempotency key. Throws VALIDATION_ERROR when the terms or permissions are inconsistent. */
export function createAccount({ clock, idempotent }: Context): Rpcs['createAccount'] {
  return idempotent.once(async ({ name, permittedScopes, terms, limits }, call, act) => {
    const now = clock.now();
    const settings = requestedSettings({ state: AccountState.ACTIVE, permittedScopes, terms, limits });
    const account: Account = { ...settings, id: newId<AccountId>(), name, revision: 1n };
    const answer = accountMessage(account);
    return act(async (tx) => {
      await insertAccount(tx, account, now);
      await appendAccountChanged(tx, account.id, account.revision, now);
      await appendAudit(
        tx,
        auditEntry(call, {
          at: now,
          target: account.id,
          accountId: account.id,
          after: toJson(AccountSchema, answer),
        }),
      );
      return answer;
    });
  });
}
