import { ReturnReasonCategory, Status as StatusCode } from '@supplier/proto/common/v1/status';
import { CloseReason } from '@supplier/proto/submission/v1/pending_leads';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import fc from 'fast-check';
import { type Before, of, onSubmission } from './operations.ts';
import type { Outcome, State } from './state.ts';
import { staffAnswer } from './world.ts';

const DECISIONS = {
  accepted: StatusCode.ACCEPTED,
  rejected: StatusCode.REJECTED,
  duplicate_not_accepted: StatusCode.DUPLICATE_NOT_ACCEPTED,
};
const REASONS = {
  company_dissolved_or_insolvent: ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT,
  outstanding_ccjs: ReturnReasonCategory.OUTSTANDING_CCJS,
  adverse_credit_profile: ReturnReasonCategory.ADVERSE_CREDIT_PROFILE,
  weak_financial_position: ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
  overdue_filings: ReturnReasonCategory.OVERDUE_FILINGS,
  pre_underwriting_criteria_not_met: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET,
};
const reason = fc.constantFrom(...Object.entries(REASONS));

async function agreed(outcome: Outcome, call: Promise<unknown>): Promise<State> {
  expect(await staffAnswer(call)).toBe(outcome.answer);
  return outcome.state;
}

const idOf = ({ world }: Before, at: number): string => world.sent[at]!.id;

const decide = onSubmission(
  'decide',
  fc.record({
    of,
    decision: fc.constantFrom('accepted', 'accepted', 'rejected', 'duplicate_not_accepted'),
    acceptDuplicate: fc.boolean(),
  }),
  (before, at, { decision, acceptDuplicate }) =>
    agreed(
      before.rules.decideByStaff(before.state, at, decision, acceptDuplicate),
      before.world.staff.submission.decideSubmission({
        submissionId: idOf(before, at),
        decision: DECISIONS[decision],
        reason: 'decided by the model',
        acceptDuplicate,
      }),
    ),
);

const giveBack = onSubmission(
  'return',
  fc.record({ of, reason }),
  (before, at, { reason: [name, reasonCategory] }) =>
    agreed(
      before.rules.returnByStaff(before.state, at, name),
      before.world.staff.submission.returnSubmission({
        submissionId: idOf(before, at),
        reasonCategory,
      }),
    ),
);

const review = onSubmission(
  'complete the pre-underwriting',
  fc.record({ of, reason: fc.option(reason, { freq: 2 }) }),
  (before, at, chosen) =>
    agreed(
      before.rules.review(before.state, at, chosen.reason?.[0] ?? null),
      before.world.staff.submission.completePreUnderwriting({
        submissionId: idOf(before, at),
        ...(chosen.reason
          ? { outcome: PreUnderwritingState.NOT_CLEARED, returnReason: chosen.reason[1] }
          : { outcome: PreUnderwritingState.CLEARED }),
      }),
    ),
);

const closeBilling = onSubmission('close the billing', fc.record({ of }), (before, at) =>
  agreed(
    before.rules.closeBilling(before.state, at),
    before.world.staff.submission.closePendingLead({
      submissionId: idOf(before, at),
      closeReason: CloseReason.OTHER,
    }),
  ),
);

export const ofStaff = [decide, decide, giveBack, review, review, closeBilling];
