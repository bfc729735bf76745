import { create } from '@bufbuild/protobuf';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import type {
  CancelScheduledTermsRequest,
  ScheduleTermsRequest,
} from '@supplier/proto/account/v1/scheduled_terms';
import { CapsSchema, type Terms, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import type { Account } from '../model/account.ts';
import {
  MAX_WAITING,
  type Scheduled,
  type ScheduledTerms,
  type ScheduledTermsId,
  stateOf,
  whyNotFrom,
} from '../model/scheduled-terms.ts';
import { termsViolations } from '../model/violations.ts';
import { idFrom, invalid, unknownAccount } from '../requests.ts';
import { findAccount } from '../store/account-rows.ts';
import type { Transaction } from '../store/database.ts';
import { findScheduledTerms, waitingTerms } from '../store/scheduled-terms-rows.ts';

type Bounds = Pick<ScheduledTerms, 'thresholds' | 'caps'>;

export interface Slot {
  /** Terms that apply until then, and that continue to apply if the scheduled ones are cancelled. */
  readonly heldBefore: Bounds;
  /** When later terms take effect; undefined when none are scheduled. */
  readonly replacedAt: Date | undefined;
}

/**
 * Returns the terms that a request schedules, and the period in which they would apply. Throws VALIDATION_ERROR,
 * NOT_FOUND, ALREADY_EXISTS when other terms take effect at the same time, and WRONG_STATE when twenty are already
 * pending.
 */
export async function termsToSchedule(
  tx: Transaction,
  request: ScheduleTermsRequest,
  now: Date,
): Promise<{ account: Account; terms: Scheduled; slot: Slot; waiting: readonly ScheduledTerms[] }> {
  const accountId = idFrom<AccountId>('account_id', request.accountId);
  const effectiveFrom = requestedTime(request, now);
  const { thresholds = create(ThresholdsSchema), caps = create(CapsSchema) } = request;
  const account = await findAccount(tx, accountId, now);
  if (!account) throw unknownAccount();
  refuseViolations({ ...account.terms, thresholds, caps });
  const waiting = await waitingTerms(tx, accountId, now);
  if (waiting.some((one) => one.effectiveFrom.getTime() === effectiveFrom.getTime()))
    throw refuse(
      RefusalCode.ALREADY_EXISTS,
      'Other terms of this account start at that time. Cancel them first.',
    );
  if (waiting.length >= MAX_WAITING)
    throw refuse(
      RefusalCode.WRONG_STATE,
      `This account already has ${MAX_WAITING} scheduled terms. Cancel some first.`,
    );
  return {
    account,
    terms: { thresholds, caps, effectiveFrom },
    slot: slotAt(effectiveFrom, account, waiting),
    waiting,
  };
}

/**
 * Returns the terms that a request cancels, including ones cancelled earlier, and the period in which they would apply.
 * Throws NOT_FOUND, and WRONG_STATE once they apply.
 */
export async function termsToCancel(
  tx: Transaction,
  request: CancelScheduledTermsRequest,
  now: Date,
): Promise<{ account: Account; terms: ScheduledTerms; slot: Slot; waiting: readonly ScheduledTerms[] }> {
  const id = idFrom<ScheduledTermsId>('scheduled_terms_id', request.scheduledTermsId);
  const terms = await findScheduledTerms(tx, id);
  const account = terms && (await findAccount(tx, terms.accountId, now));
  if (!account) throw refuse(RefusalCode.NOT_FOUND, 'There are no such scheduled terms.');
  if (stateOf(terms, now) === 'effective')
    throw refuse(
      RefusalCode.WRONG_STATE,
      'These terms have already started. Change them with UpdateAccount.',
    );
  const waiting = await waitingTerms(tx, terms.accountId, now);
  return { account, terms, slot: slotAt(terms.effectiveFrom, account, waiting), waiting };
}

/** Returns the period from `from`. Requires `waiting` in time order. */
function slotAt(from: Date, { terms }: Account, waiting: readonly ScheduledTerms[]): Slot {
  const { thresholds = create(ThresholdsSchema), caps = create(CapsSchema) } = terms;
  return {
    heldBefore: waiting.findLast((one) => one.effectiveFrom < from) ?? { thresholds, caps },
    replacedAt: waiting.find((one) => one.effectiveFrom > from)?.effectiveFrom,
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
