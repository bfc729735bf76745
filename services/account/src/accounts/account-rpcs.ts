import { create, equals, toJson } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { type AccountId, newId, parseId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  type Account as AccountMessage,
  AccountSchema,
  AccountState,
  ListAccountsRequestSchema,
  ListAccountsResponseSchema,
} from '@supplier/proto/account/v1/account';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Context, Rpcs } from '../context.ts';
import type { Account, AccountSettings } from '../model/account.ts';
import { loosenedLater } from '../model/loosened.ts';
import { accountMessage, loosenedLaterMessage, nameOf, STATES } from '../model/messages.ts';
import { timelineOf } from '../model/scheduled-terms.ts';
import { idFrom, requestedSettings, staleRevision, unknownAccount } from '../requests.ts';
import {
  accountExists,
  appendAccountChanged,
  findAccount,
  findStoredAccount,
  insertAccount,
  listAccounts as listMatching,
  replaceSettings,
} from '../store/account-rows.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { waitingTerms } from '../store/scheduled-terms-rows.ts';
import { takeOverTerms } from '../terms/index.ts';
import { UPDATE_ACCOUNT } from './approve-update.ts';

/**
 * Opens an active account at revision 1, once per idempotency key. Throws VALIDATION_ERROR when the terms or
 * permissions are inconsistent.
 */
export function createAccount({ clock, idempotent }: Context): Rpcs['createAccount'] {
  return idempotent.once(async ({ name, permittedScopes, terms, limits }, call, act) => {
    const now = clock.now();
    const settings = requestedSettings({ state: AccountState.ACTIVE, permittedScopes, terms, limits });
    const account: Account = { ...settings, id: newId<AccountId>(), name, revision: 1n };
    const answer = accountMessage(account);
    return act(async (tx) => {
      await insertAccount(tx, account, now);
      await appendAccountChanged(tx, account.id, account.revision, now);
      await auditCall(tx, call, {
        at: now,
        target: account.id,
        accountId: account.id,
        after: toJson(AccountSchema, answer),
      });
      return answer;
    });
  });
}

/** Returns the account in its current state. Throws NOT_FOUND. */
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

/** Checks that an account exists, suspended or not. Throws NOT_FOUND. Implements docs/contract.md, section 11. */
export function checkAccount({ db }: Context): Rpcs['checkAccount'] {
  return async (request) => {
    if (await accountExists(db, idFrom<AccountId>('account_id', request.accountId))) return {};
    throw unknownAccount();
  };
}

/**
 * Replaces the settings of an account immediately and raises its revision by one; scheduled terms stay scheduled. A
 * request that changes nothing writes nothing and returns the revision it was sent with. A change that lets more
 * through needs a second person's approval: if SSS_FOUR_EYES is `required`, throws WRONG_STATE without an approval of
 * exactly this request. Throws VALIDATION_ERROR, NOT_FOUND, or REVISION_CONFLICT with the current revision when the
 * caller's revision is stale.
 */
export function updateAccount({ db, clock, approvals }: Context): Rpcs['updateAccount'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<AccountId>('account_id', request.accountId);
    const settings = requestedSettings(request);
    return inTransaction(db, async (tx) => {
      // Terms that are due are taken over first, so that they get their own history entry before they are replaced.
      await takeOverTerms(tx, id, now);
      const before = await findStoredAccount(tx, id);
      if (!before) throw unknownAccount();
      // A concurrent change may have raised the revision: then nothing is replaced.
      const isCurrent = before.revision === request.revision;
      if (isCurrent && isSame(before, settings)) return withWarnings(tx, before, now);
      const approvalId = isCurrent ? await approvals.take(tx, UPDATE_ACCOUNT, request, call) : undefined;
      const account = isCurrent && (await replaceSettings(tx, id, request.revision, settings, now));
      if (!account) throw await refusalFor(tx, id);
      const answer = accountMessage(account);
      await appendAccountChanged(tx, id, account.revision, now);
      await auditCall(tx, call, {
        at: now,
        target: id,
        accountId: id,
        before: toJson(AccountSchema, accountMessage(before)),
        after: { ...(toJson(AccountSchema, answer) as object), ...(approvalId && { approvalId }) },
      });
      return withWarnings(tx, account, now);
    });
  };
}

/** Returns the account with the scheduled terms that will loosen its current ones. */
async function withWarnings(tx: Transaction, account: Account, now: Date): Promise<AccountMessage> {
  const waiting = await waitingTerms(tx, account.id, now);
  const loosenings = loosenedLater(timelineOf(account.terms, waiting, now));
  return { ...accountMessage(account), loosenedLater: loosenedLaterMessage(loosenings) };
}

/** Returns whether the settings equal the account's; the order of permissions does not matter. */
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

/**
 * Lists accounts by name and state, newest first, page by page. Throws VALIDATION_ERROR for a page token of another
 * query. Implements docs/contract.md, section 11.
 */
export function listAccounts({ db }: Pick<Context, 'db'>): Rpcs['listAccounts'] {
  return async (request) => {
    const page = requestedPage(ListAccountsRequestSchema, request, parseId<AccountId>);
    const { nameContains, state } = request;
    const filter = {
      nameContains,
      state: state === AccountState.UNSPECIFIED ? undefined : nameOf(STATES, state),
    };
    const found = await listMatching(db, filter, page.after, page.size);
    return create(ListAccountsResponseSchema, {
      accounts: found.page.map(({ id, name, state, createdAt }) => ({
        accountId: id,
        name,
        state: STATES[state],
        createdAt: toTimestamp(createdAt),
      })),
      nextPageToken: page.tokenAfter(found.next),
    });
  };
}
