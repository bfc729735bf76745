import { toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/audit';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { ScheduledTermsSchema } from '@supplier/proto/account/v1/scheduled_terms';
import type { Context, Rpcs } from '../context.ts';
import { raiseRevision } from '../db/account.ts';
import { appendAccountChanged } from '../db/account-events.ts';
import { inTransaction } from '../db/database.ts';
import { cancelTerms, findScheduledTerms, lockAccount } from '../db/scheduled-terms.ts';
import { type ScheduledTermsId, stateOf } from '../domain/scheduled-terms.ts';
import { scheduledTermsMessage } from '../messages/scheduled-terms-message.ts';
import { idFrom } from '../requests/refusals.ts';

/**
 * Cancels terms before their time. Repeating it changes nothing. Throws NOT_FOUND, and WRONG_STATE once they hold.
 * Audited. Implements docs/contract.md, section 5.
 */
export function cancelScheduledTerms({ db, clock }: Context): Rpcs['cancelScheduledTerms'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<ScheduledTermsId>('scheduled_terms_id', request.scheduledTermsId);
    return inTransaction(db, async (tx) => {
      const known = await findScheduledTerms(tx, id);
      if (!known) throw unknownTerms();
      const { accountId } = known;
      await lockAccount(tx, accountId);
      // Somebody else may have cancelled them while this transaction waited for the lock.
      const current = await findScheduledTerms(tx, id);
      if (!current) throw unknownTerms();
      const state = stateOf(current, now);
      if (state === 'cancelled') return scheduledTermsMessage(current, now);
      if (state === 'effective')
        throw refuse(RefusalCode.WRONG_STATE, 'These terms hold already: UpdateAccount changes them.');
      const answer = scheduledTermsMessage(await cancelTerms(tx, id, now), now);
      await appendAccountChanged(tx, accountId, await raiseRevision(tx, accountId, now), now);
      const [before, after] = [scheduledTermsMessage(current, now), answer].map((message) =>
        toJson(ScheduledTermsSchema, message),
      );
      await appendAudit(tx, auditEntry(call, { at: now, target: id, accountId, before, after }));
      return answer;
    });
  };
}

const unknownTerms = () => refuse(RefusalCode.NOT_FOUND, 'There are no such scheduled terms.');
