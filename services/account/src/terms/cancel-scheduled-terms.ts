import { toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { ScheduledTermsSchema } from '@supplier/proto/account/v1/scheduled_terms';
import { CANCEL_SCHEDULED_TERMS } from '../approvable-acts.ts';
import type { Context, Rpcs } from '../context.ts';
import type { ScheduledTermsId } from '../model/scheduled-terms.ts';
import { scheduledTermsMessage } from '../model/scheduled-terms-message.ts';
import { idFrom } from '../refusals.ts';
import { appendAccountChanged } from '../store/account-events.ts';
import { raiseRevision } from '../store/account-rows.ts';
import { inTransaction } from '../store/database.ts';
import { cancelTerms, findScheduledTerms, lockAccount } from '../store/scheduled-terms-rows.ts';
import { termsToCancel } from './terms-slot.ts';

/**
 * Cancels terms before their time. Repeating it changes nothing. Where that loosens the terms of any future time,
 * it needs a second person's approval: WRONG_STATE without an approval of exactly this, where SSS_FOUR_EYES is required. Throws NOT_FOUND, and
 * WRONG_STATE once they hold. Audited. Implements docs/contract.md, section 5.
 */
export function cancelScheduledTerms({ db, clock, approvals }: Context): Rpcs['cancelScheduledTerms'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<ScheduledTermsId>('scheduled_terms_id', request.scheduledTermsId);
    return inTransaction(db, async (tx) => {
      const known = await findScheduledTerms(tx, id);
      if (known) await lockAccount(tx, known.accountId);
      // Somebody else may have cancelled them while this transaction waited for the lock.
      const { terms: current } = await termsToCancel(tx, request, now);
      if (current.cancelledAt !== null) return scheduledTermsMessage(current, now);
      const approvalId = await approvals.take(tx, CANCEL_SCHEDULED_TERMS, request, call);
      const { accountId } = current;
      const answer = scheduledTermsMessage(await cancelTerms(tx, id, now), now);
      await appendAccountChanged(tx, accountId, await raiseRevision(tx, accountId, now), now);
      const [before, after] = [scheduledTermsMessage(current, now), answer].map(
        (message) => toJson(ScheduledTermsSchema, message) as object,
      );
      const change = { before, after: { ...after, ...(approvalId && { approvalId }) } };
      await appendAudit(tx, auditEntry(call, { at: now, target: id, accountId, ...change }));
      return answer;
    });
  };
}
