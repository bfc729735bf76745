import { toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { ScheduledTermsSchema } from '@supplier/proto/account/v1/scheduled_terms';
import { SCHEDULE_TERMS } from '../approvable-acts.ts';
import type { Context, Rpcs } from '../context.ts';
import { loosenedLater } from '../model/loosened.ts';
import { type ScheduledTermsId, timelineOf } from '../model/scheduled-terms.ts';
import { loosenedLaterMessage, scheduledTermsMessage } from '../model/scheduled-terms-message.ts';
import { idFrom } from '../refusals.ts';
import { appendAccountChanged } from '../store/account-events.ts';
import { raiseRevision } from '../store/account-rows.ts';
import { inTransaction } from '../store/database.ts';
import { insertScheduledTerms, lockAccount } from '../store/scheduled-terms-rows.ts';
import { termsToSchedule } from './terms-slot.ts';

/**
 * Gives an account other thresholds and caps from a time in the future on, in place of all it has then. Services that
 * hold a copy of the account are notified, and learn how long their copy is valid. An act that loosens the
 * terms of any future time needs a second person's approval: WRONG_STATE without an approval of exactly this, where
 * SSS_FOUR_EYES is required. The response lists later terms that loosen again. Throws VALIDATION_ERROR, NOT_FOUND, ALREADY_EXISTS for a time at which others are to begin, and WRONG_STATE
 * when twenty wait already. Audited. Implements docs/contract.md, section 5.
 */
export function scheduleTerms({ db, clock, approvals }: Context): Rpcs['scheduleTerms'] {
  return async (request, call) => {
    const now = clock.now();
    const accountId = idFrom<AccountId>('account_id', request.accountId);
    const { purpose } = request;
    return inTransaction(db, async (tx) => {
      await lockAccount(tx, accountId);
      const { terms: wanted, account, waiting } = await termsToSchedule(tx, request, now);
      const approvalId = await approvals.take(tx, SCHEDULE_TERMS, request, call);
      const terms = {
        id: newId<ScheduledTermsId>(),
        ...{ ...wanted, accountId, purpose },
        ...{ createdAt: now, appliedAt: null, cancelledAt: null },
      };
      await insertScheduledTerms(tx, terms);
      await appendAccountChanged(tx, accountId, await raiseRevision(tx, accountId, now), now);
      const answer = scheduledTermsMessage(terms, now);
      const after = {
        ...(toJson(ScheduledTermsSchema, answer) as object),
        ...(approvalId && { approvalId }),
      };
      await appendAudit(tx, auditEntry(call, { at: now, target: terms.id, accountId, after, purpose }));
      const timeline = timelineOf(account.terms, [...waiting, terms], now);
      const later = loosenedLater(timeline).filter(({ from }) => from > terms.effectiveFrom);
      return { ...answer, loosenedLater: loosenedLaterMessage(later) };
    });
  };
}
