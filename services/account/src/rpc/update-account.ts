import { toJsonString } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/ids';
import { AccountSchema } from '@supplier/proto/account/v1/account';
import type { Rpcs, ServiceContext } from '../context.ts';
import { findAccount, replaceSettings } from '../db/account.ts';
import { appendAccountChanged } from '../db/account-events.ts';
import { appendAuditLine } from '../db/audit.ts';
import { inTransaction, type Transaction } from '../db/database.ts';
import { accountMessage } from '../messages/account-message.ts';
import { auditLine } from './audit-line.ts';
import { idFrom, staleRevision, unknownAccount } from './refusals.ts';
import { requestedSettings } from './requested-settings.ts';

/**
 * Replaces the settings of an account and raises its revision by one. Throws VALIDATION_ERROR, NOT_FOUND, or
 * REVISION_CONFLICT with the current revision when the caller's is another.
 */
export function updateAccount({ db, clock }: ServiceContext): Rpcs['updateAccount'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<AccountId>('account_id', request.accountId);
    const settings = requestedSettings(request);
    return inTransaction(db, async (tx) => {
      const account = await replaceSettings(tx, id, request.revision, settings, now);
      if (!account) throw await reasonOfNoChange(tx, id);
      const answer = accountMessage(account);
      await appendAccountChanged(tx, id, account.revision, now);
      await appendAuditLine(tx, auditLine(call, id, toJsonString(AccountSchema, answer), now));
      return answer;
    });
  };
}

async function reasonOfNoChange(tx: Transaction, id: AccountId) {
  const account = await findAccount(tx, id);
  return account ? staleRevision(account.revision) : unknownAccount();
}
