import { toJsonString } from '@bufbuild/protobuf';
import { type AccountId, newId } from '@supplier/lib/ids';
import { AccountSchema, AccountState } from '@supplier/proto/account/v1/account';
import type { Rpcs, ServiceContext } from '../context.ts';
import { insertAccount } from '../db/account.ts';
import { appendAccountChanged } from '../db/account-events.ts';
import { appendAuditLine } from '../db/audit.ts';
import { inTransaction } from '../db/database.ts';
import type { Account } from '../domain/account.ts';
import { accountMessage } from '../messages/account-message.ts';
import { auditLine } from './audit-line.ts';
import { requestedSettings } from './requested-settings.ts';

/** Opens an active account at revision 1. Throws VALIDATION_ERROR when the terms or permissions are inconsistent. */
export function createAccount({ db, clock }: ServiceContext): Rpcs['createAccount'] {
  return async ({ name, permittedScopes, terms, limits }, call) => {
    const now = clock.now();
    const settings = requestedSettings({ state: AccountState.ACTIVE, permittedScopes, terms, limits });
    const account: Account = { ...settings, id: newId<AccountId>(), name, revision: 1n };
    const answer = accountMessage(account);
    await inTransaction(db, async (tx) => {
      await insertAccount(tx, account, now);
      await appendAccountChanged(tx, account.id, account.revision, now);
      await appendAuditLine(tx, auditLine(call, account.id, toJsonString(AccountSchema, answer), now));
    });
    return answer;
  };
}
