import { toJson } from '@bufbuild/protobuf';
import { appendAudit, serviceActor } from '@supplier/lib/governance/audit';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { AccountId } from '@supplier/lib/text/ids';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Context } from '../context.ts';
import { appendAccountChanged, findStoredAccount, replaceSettings } from '../store/account-rows.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { lockAccount } from '../store/lock-account.sql.ts';
import { accountsWithDueTerms, dueTerms, markApplied } from '../store/scheduled-terms-rows.ts';

export { reasonsOf, waitingFacts } from './terms-facts.ts';

/**
 * Copies terms that are due by `now` into the account's row: one revision with its event for any number of terms, and
 * one audit entry. Locks the account until the transaction ends. Resolves to whether any terms were due.
 */
export async function takeOverTerms(tx: Transaction, id: AccountId, now: Date): Promise<boolean> {
  await lockAccount(tx, id);
  const due = await dueTerms(tx, id, now);
  const latest = due.at(-1);
  const before = latest && (await findStoredAccount(tx, id));
  if (!latest || !before) return false;
  const terms = { ...before.terms, thresholds: latest.thresholds, caps: latest.caps };
  const account = await replaceSettings(tx, id, before.revision, { ...before, terms }, now);
  if (!account) throw new Error('invariant violated: a locked account has changed');
  await markApplied(
    tx,
    due.map((one) => one.id),
    now,
  );
  await appendAccountChanged(tx, id, account.revision, now);
  await appendAudit(tx, {
    ...serviceActor('account'),
    at: now,
    action: 'TakeOverTerms',
    target: latest.id,
    accountId: id,
    before: toJson(TermsSchema, before.terms),
    after: toJson(TermsSchema, account.terms),
  });
  return true;
}

/** Not time-critical: every read of an account works out which terms apply. */
const EVERY_MS = 5_000;
const MAX_TERMS = 100;

/** Takes over due scheduled terms, account by account. Implements docs/contract.md, section 5. */
export const takeOverDueTerms: Sweep<Context> = {
  found: 'scheduled terms took effect',
  everyMs: EVERY_MS,
  async run({ db, clock }) {
    const now = clock.now();
    const accounts = await accountsWithDueTerms(db, now, MAX_TERMS);
    let count = 0;
    for (const id of accounts) if (await inTransaction(db, (tx) => takeOverTerms(tx, id, now))) count += 1;
    return { count, more: count > 0 };
  },
};
