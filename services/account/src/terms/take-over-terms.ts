import { toJson } from '@bufbuild/protobuf';
import { appendAudit, serviceActor } from '@supplier/lib/governance/audit';
import type { AccountId } from '@supplier/lib/text/ids';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { appendAccountChanged } from '../store/account-events.ts';
import { findStoredAccount, replaceSettings } from '../store/account-rows.ts';
import type { Transaction } from '../store/database.ts';
import { dueTerms, lockAccount, markApplied } from '../store/scheduled-terms-rows.ts';

/**
 * Takes over into an account's row what has come into effect by `now`: one revision further with its event, however many
 * there were, and a line in the audit log. The account is locked until the transaction ends. Resolves to whether there was
 * anything.
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
