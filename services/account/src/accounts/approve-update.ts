import { create } from '@bufbuild/protobuf';
import { approvableAction, type Evaluate, factLines, spelled } from '@supplier/lib/governance/approvals';
import type { AccountId } from '@supplier/lib/text/ids';
import {
  AccountService,
  type UpdateAccountRequest,
  UpdateAccountRequestSchema,
} from '@supplier/proto/account/v1/account';
import { loosenedBy, loosenedSettings } from '../model/loosened.ts';
import { accountMessage } from '../model/messages.ts';
import { timelineOf } from '../model/scheduled-terms.ts';
import { idFrom, requestedSettings, staleRevision, unknownAccount } from '../requests.ts';
import { findAccount } from '../store/account-rows.ts';
import type { Transaction } from '../store/database.ts';
import { waitingTerms } from '../store/scheduled-terms-rows.ts';
import { reasonsOf, waitingFacts } from '../terms/index.ts';

/**
 * Judges an update of all settings, next to the current ones and the scheduled terms. The revision ties the approval to
 * the suspension that it ends.
 */
const evaluateUpdate: Evaluate<Transaction, UpdateAccountRequest> = async (tx, request, now) => {
  const settings = requestedSettings(request);
  const account = await findAccount(tx, idFrom<AccountId>('account_id', request.accountId), now);
  if (!account) throw unknownAccount();
  if (account.revision !== request.revision) throw staleRevision(account.revision);
  const { name, $typeName: _, ...present } = accountMessage(account);
  const waiting = await waitingTerms(tx, account.id, now);
  const before = timelineOf(account.terms, waiting, now);
  const later = loosenedBy(before, timelineOf(settings.terms, waiting, now)).filter(({ from }) => from > now);
  return {
    target: account.id,
    reasons: [
      ...loosenedSettings(account, settings),
      ...reasonsOf(later, now, ' unless those terms are cancelled first'),
    ],
    before: spelled(UpdateAccountRequestSchema, create(UpdateAccountRequestSchema, present)),
    further: factLines({ 'account.name': name, ...waitingFacts(waiting) }),
  };
};

export const UPDATE_ACCOUNT = approvableAction(AccountService.method.updateAccount, evaluateUpdate);
