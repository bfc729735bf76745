import { create, toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/audit';
import { type AccountId, newId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { toDate } from '@supplier/lib/time';
import { ScheduledTermsSchema, type ScheduleTermsRequest } from '@supplier/proto/account/v1/scheduled_terms';
import { CapsSchema, type Terms, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import type { Context, Rpcs } from '../context.ts';
import { findAccount, raiseRevision } from '../db/account.ts';
import { appendAccountChanged } from '../db/account-events.ts';
import { inTransaction } from '../db/database.ts';
import { insertScheduledTerms, lockAccount, waitingTerms } from '../db/scheduled-terms.ts';
import { MAX_WAITING, type ScheduledTermsId, whyNotFrom } from '../domain/scheduled-terms.ts';
import { termsViolations } from '../domain/terms-violations.ts';
import { scheduledTermsMessage } from '../messages/scheduled-terms-message.ts';
import { idFrom, invalid, unknownAccount } from '../requests/refusals.ts';

/**
 * Gives an account other thresholds and caps from a time in the future on, in place of all it has then. Whoever holds a
 * copy of the account is told, and learns until when what it has holds. Throws VALIDATION_ERROR, NOT_FOUND,
 * ALREADY_EXISTS for a time at which others are to begin, and WRONG_STATE when twenty wait already. Audited. Implements
 * docs/contract.md, section 5.
 */
export function scheduleTerms({ db, clock }: Context): Rpcs['scheduleTerms'] {
  return async (request, call) => {
    const now = clock.now();
    const accountId = idFrom<AccountId>('account_id', request.accountId);
    const effectiveFrom = requestedTime(request, now);
    const { thresholds = create(ThresholdsSchema), caps = create(CapsSchema), purpose } = request;
    return inTransaction(db, async (tx) => {
      if (!(await lockAccount(tx, accountId))) throw unknownAccount();
      const account = await findAccount(tx, accountId, now);
      if (!account) throw unknownAccount();
      refuseViolations({ ...account.terms, thresholds, caps });
      const waiting = await waitingTerms(tx, accountId, now);
      if (waiting.some((one) => one.effectiveFrom.getTime() === effectiveFrom.getTime()))
        throw refuse(
          RefusalCode.ALREADY_EXISTS,
          'Other terms of this account begin at that time: cancel them first.',
        );
      if (waiting.length >= MAX_WAITING)
        throw refuse(
          RefusalCode.WRONG_STATE,
          `${MAX_WAITING} terms of this account wait already: cancel some first.`,
        );
      const terms = {
        id: newId<ScheduledTermsId>(),
        ...{ accountId, effectiveFrom, thresholds, caps, purpose },
        ...{ createdAt: now, appliedAt: null, cancelledAt: null },
      };
      await insertScheduledTerms(tx, terms);
      await appendAccountChanged(tx, accountId, await raiseRevision(tx, accountId, now), now);
      const answer = scheduledTermsMessage(terms, now);
      const after = toJson(ScheduledTermsSchema, answer);
      await appendAudit(tx, auditEntry(call, { at: now, target: terms.id, accountId, after, purpose }));
      return answer;
    });
  };
}

function requestedTime({ effectiveFrom }: ScheduleTermsRequest, now: Date): Date {
  const time = effectiveFrom && toDate(effectiveFrom);
  const wrong = time ? whyNotFrom(time, now) : 'is required';
  if (!time || wrong !== undefined)
    throw invalid([{ path: 'effective_from', message: wrong ?? 'is required' }]);
  return time;
}

function refuseViolations(terms: Terms): void {
  const violations = termsViolations(terms).map(({ path, message }) => ({
    path: path.replace(/^terms\./, ''),
    message,
  }));
  if (violations.length > 0) throw invalid(violations);
}
