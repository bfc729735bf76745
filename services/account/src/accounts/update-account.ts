import { equals, toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import type { AccountId } from '@supplier/lib/text/ids';
import { type Account as AccountMessage, AccountSchema } from '@supplier/proto/account/v1/account';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { UPDATE_ACCOUNT } from '../approvable-acts.ts';
import type { Context, Rpcs } from '../context.ts';
import type { Account, AccountSettings } from '../model/account.ts';
import { accountMessage } from '../model/account-message.ts';
import { loosenedLater } from '../model/loosened.ts';
import { timelineOf } from '../model/scheduled-terms.ts';
import { loosenedLaterMessage } from '../model/scheduled-terms-message.ts';
import { idFrom, staleRevision, unknownAccount } from '../refusals.ts';
import { requestedSettings } from '../requested-settings.ts';
import { appendAccountChanged } from '../store/account-events.ts';
import { findStoredAccount, replaceSettings } from '../store/account-rows.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { waitingTerms } from '../store/scheduled-terms-rows.ts';
import { takeOverTerms } from '../terms/take-over-terms.ts';

/**
 * Replaces the settings of an account at once and raises its revision by one; what is scheduled stays so. Settings that are
 * as they were write nothing: the answer has the revision of the request. What lets more through takes two people:
 * WRONG_STATE without an approval of exactly this, where SSS_FOUR_EYES is required. Throws VALIDATION_ERROR, NOT_FOUND, or
 * REVISION_CONFLICT with the current revision when the caller's is another.
 */
export function updateAccount({ db, clock, approvals }: Context): Rpcs['updateAccount'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<AccountId>('account_id', request.accountId);
    const settings = requestedSettings(request);
    return inTransaction(db, async (tx) => {
      // What has come into effect is replaced like what was there: it is taken over first, and has its line of history.
      await takeOverTerms(tx, id, now);
      const before = await findStoredAccount(tx, id);
      if (!before) throw unknownAccount();
      // Another revision may have come in between: then nothing is replaced.
      const isCurrent = before.revision === request.revision;
      if (isCurrent && isSame(before, settings)) return withWarnings(tx, before, now);
      const approvalId = isCurrent ? await approvals.take(tx, UPDATE_ACCOUNT, request, call) : undefined;
      const account = isCurrent && (await replaceSettings(tx, id, request.revision, settings, now));
      if (!account) throw await refusalFor(tx, id);
      const answer = accountMessage(account);
      await appendAccountChanged(tx, id, account.revision, now);
      await appendAudit(
        tx,
        auditEntry(call, {
          at: now,
          target: id,
          accountId: id,
          before: toJson(AccountSchema, accountMessage(before)),
          after: { ...(toJson(AccountSchema, answer) as object), ...(approvalId && { approvalId }) },
        }),
      );
      return withWarnings(tx, account, now);
    });
  };
}

/** The account with the scheduled terms that will loosen its own. */
async function withWarnings(tx: Transaction, account: Account, now: Date): Promise<AccountMessage> {
  const waiting = await waitingTerms(tx, account.id, now);
  const loosenings = loosenedLater(timelineOf(account.terms, waiting, now));
  return { ...accountMessage(account), loosenedLater: loosenedLaterMessage(loosenings) };
}

/** Whether settings are what an account has; the order of its permissions says nothing. */
function isSame(before: AccountSettings, settings: AccountSettings): boolean {
  const scopesOf = ({ permittedScopes }: AccountSettings) => permittedScopes.toSorted().join();
  return (
    before.state === settings.state &&
    scopesOf(before) === scopesOf(settings) &&
    before.writesPerMinute === settings.writesPerMinute &&
    before.readsPerMinute === settings.readsPerMinute &&
    equals(TermsSchema, before.terms, settings.terms)
  );
}

async function refusalFor(tx: Transaction, id: AccountId) {
  const account = await findStoredAccount(tx, id);
  return account ? staleRevision(account.revision) : unknownAccount();
}
