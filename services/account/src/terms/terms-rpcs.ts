import { toJson } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { type AccountId, newId, parseId } from '@supplier/lib/text/ids';
import {
  ListScheduledTermsRequestSchema,
  ScheduledTermsSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import type { Context, Rpcs } from '../context.ts';
import { loosenedLater } from '../model/loosened.ts';
import { loosenedLaterMessage, scheduledTermsMessage } from '../model/messages.ts';
import { type ScheduledTermsId, timelineOf } from '../model/scheduled-terms.ts';
import { idFrom, unknownAccount } from '../requests.ts';
import { accountExists, appendAccountChanged, raiseRevision } from '../store/account-rows.ts';
import { inTransaction } from '../store/database.ts';
import { lockAccount } from '../store/lock-account.sql.ts';
import {
  cancelTerms,
  findScheduledTerms,
  insertScheduledTerms,
  listScheduledTerms as listLatest,
} from '../store/scheduled-terms-rows.ts';
import { CANCEL_SCHEDULED_TERMS, SCHEDULE_TERMS } from './approve-terms.ts';
import { termsToCancel, termsToSchedule } from './terms-slot.ts';

/**
 * Schedules thresholds and caps that replace all of the account's at a time in the future. Notifies services that hold
 * a copy of the account, and says how long their copy is valid. An act that loosens the terms of any future time needs
 * a second person's approval: if SSS_FOUR_EYES is `required`, throws WRONG_STATE without an approval of exactly this
 * request. The response lists later terms that loosen again. Throws VALIDATION_ERROR, NOT_FOUND, ALREADY_EXISTS when
 * other terms take effect at the same time, and WRONG_STATE when twenty are already pending. Audited. Implements
 * docs/contract.md, section 5.
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
      await auditCall(tx, call, { at: now, target: terms.id, accountId, after, purpose });
      const timeline = timelineOf(account.terms, [...waiting, terms], now);
      const later = loosenedLater(timeline).filter(({ from }) => from > terms.effectiveFrom);
      return { ...answer, loosenedLater: loosenedLaterMessage(later) };
    });
  };
}

/**
 * Cancels scheduled terms before they take effect. Repeating the call changes nothing. A cancellation that loosens the
 * terms of any future time needs a second person's approval: if SSS_FOUR_EYES is `required`, throws WRONG_STATE without
 * an approval of exactly this request. Throws NOT_FOUND, and WRONG_STATE once the terms apply. Audited. Implements
 * docs/contract.md, section 5.
 */
export function cancelScheduledTerms({ db, clock, approvals }: Context): Rpcs['cancelScheduledTerms'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<ScheduledTermsId>('scheduled_terms_id', request.scheduledTermsId);
    return inTransaction(db, async (tx) => {
      const known = await findScheduledTerms(tx, id);
      if (known) await lockAccount(tx, known.accountId);
      // A concurrent call may have cancelled them while this transaction waited for the lock.
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
      await auditCall(tx, call, { at: now, target: id, accountId, ...change });
      return answer;
    });
  };
}

/**
 * Lists all terms ever scheduled for an account, newest first, page by page. Throws NOT_FOUND for an unknown account,
 * and VALIDATION_ERROR for a page token of another query.
 */
export function listScheduledTerms({ db, clock }: Context): Rpcs['listScheduledTerms'] {
  return async (request) => {
    const accountId = idFrom<AccountId>('account_id', request.accountId);
    const page = requestedPage(ListScheduledTermsRequestSchema, request, parseId<ScheduledTermsId>);
    if (!(await accountExists(db, accountId))) throw unknownAccount();
    // One extra row shows whether there is another page.
    const rows = await listLatest(db, accountId, page.after, page.size + 1);
    const shown = rows.slice(0, page.size);
    const now = clock.now();
    return {
      scheduledTerms: shown.map((terms) => scheduledTermsMessage(terms, now)),
      nextPageToken: page.tokenAfter(rows.length > page.size ? shown.at(-1)?.id : undefined),
    };
  };
}
