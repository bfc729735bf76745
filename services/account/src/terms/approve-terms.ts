import { approvableAction, type Evaluate, factLines } from '@supplier/lib/governance/approvals';
import { formatTimestamp } from '@supplier/lib/text/time';
import { AccountService } from '@supplier/proto/account/v1/account';
import type {
  CancelScheduledTermsRequest,
  ScheduleTermsRequest,
} from '@supplier/proto/account/v1/scheduled_terms';
import type { Account } from '../model/account.ts';
import { loosenedBy } from '../model/loosened.ts';
import { type Scheduled, timelineOf } from '../model/scheduled-terms.ts';
import type { Transaction } from '../store/database.ts';
import { reasonsOf, spelledTerms } from './terms-facts.ts';
import { type Slot, termsToCancel, termsToSchedule } from './terms-slot.ts';

/** Judges scheduled thresholds and caps, next to the values that would otherwise apply then. */
const evaluateSchedule: Evaluate<Transaction, ScheduleTermsRequest> = async (tx, request, now) => {
  const { account, terms, slot, waiting } = await termsToSchedule(tx, request, now);
  const timeline = (scheduled: readonly Scheduled[]) => timelineOf(account.terms, scheduled, now);
  return {
    target: account.id,
    reasons: reasonsOf(loosenedBy(timeline(waiting), timeline([...waiting, terms])), now),
    before: spelledTerms(slot.heldBefore),
    further: factLines(slotFacts(account, slot)),
  };
};

/** Judges the cancellation of thresholds and caps, next to the values that apply instead. */
const evaluateCancel: Evaluate<Transaction, CancelScheduledTermsRequest> = async (tx, request, now) => {
  const { account, terms, slot, waiting } = await termsToCancel(tx, request, now);
  const timeline = (scheduled: readonly Scheduled[]) => timelineOf(account.terms, scheduled, now);
  const left = waiting.filter(({ id }) => id !== terms.id);
  const [before, after] = [spelledTerms(terms), spelledTerms(slot.heldBefore)];
  return {
    target: terms.id,
    reasons: reasonsOf(loosenedBy(timeline(waiting), timeline(left)), now),
    further: [
      ...Object.keys(before).map((name) => ({ name, before: before[name] ?? '', after: after[name] ?? '' })),
      ...factLines({
        account_id: account.id,
        effective_from: formatTimestamp(terms.effectiveFrom),
        ...slotFacts(account, slot),
      }),
    ],
  };
};

export const SCHEDULE_TERMS = approvableAction(AccountService.method.scheduleTerms, evaluateSchedule);
export const CANCEL_SCHEDULED_TERMS = approvableAction(
  AccountService.method.cancelScheduledTerms,
  evaluateCancel,
);

const slotFacts = ({ name }: Account, { replacedAt }: Slot) => ({
  'account.name': name,
  replaced_at: replacedAt ? formatTimestamp(replacedAt) : '',
});
