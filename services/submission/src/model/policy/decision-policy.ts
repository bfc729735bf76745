import { AnnualTurnoverRange, type Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Terms } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { FactKind } from '@supplier/proto/submission/v1/timeline';
import { z } from 'zod';
import { contactFacts } from '../contact-checks.ts';
import type { Match } from '../match-keys.ts';
import { compilePolicy, type PolicyForm, type PolicyRule } from './policy.ts';
import type { KnownFactKind, PolicyInput } from './seen-by-conditions.ts';

/** The possible commercial decisions. */
export type DecidedStatus = Status.ACCEPTED | Status.REJECTED | Status.DUPLICATE_NOT_ACCEPTED;

/** A decision with its internal grounds, none of which the supplier sees. */
export interface Decision {
  readonly status: DecidedStatus;
  readonly policyVersion: string;
  readonly rule: string;
  readonly reason: string;
  /** The earlier submission from the same customer, if any. */
  readonly match?: Match;
  /** Acceptances so far, if the account is capped. */
  readonly accepted?: AcceptedCounts;
}

/** Acceptances so far in the UTC day and month of the decision. */
export interface AcceptedCounts {
  readonly today: number;
  readonly thisMonth: number;
}

/** The policy version recorded for a decision by staff. */
export const STAFF_POLICY = 'staff';

/** Facts from the database that the enquiry does not state. */
export interface DecisionFacts {
  readonly duplicate: boolean;
  /** The checks that the contact fails, as stored bits. */
  readonly contactChecks: number;
  readonly acceptedToday: number;
  readonly acceptedThisMonth: number;
}

export interface DecisionPolicy {
  readonly version: string;
  readonly rules: readonly PolicyRule<DecisionOutcome>[];
  decide(enquiry: Enquiry, terms: Terms, facts: DecisionFacts): Decision;
}

const OUTCOMES = {
  accepted: Status.ACCEPTED,
  rejected: Status.REJECTED,
  duplicate_not_accepted: Status.DUPLICATE_NOT_ACCEPTED,
} as const;

const outcome = z.strictObject({
  outcome: z.enum(['accepted', 'rejected', 'duplicate_not_accepted']),
  reason: z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
});
export type DecisionOutcome = z.infer<typeof outcome>;

const TRIAL_FACTS = {
  duplicate: false,
  ...contactFacts(0),
  accepted_today: 0n,
  accepted_this_month: 0n,
  turnover_at_most: 0n,
};

/** A fact that is not classified here is a compile error. */
const FACT_KINDS: Readonly<Record<keyof typeof TRIAL_FACTS, KnownFactKind>> = {
  duplicate: FactKind.EARLIER_SUBMISSIONS,
  telephone_unusable: FactKind.CONTACT,
  email_unusable: FactKind.CONTACT,
  name_unusable: FactKind.CONTACT,
  captured_in_future: FactKind.CAPTURE_TIME,
  accepted_today: FactKind.ACCEPTED_COUNT,
  accepted_this_month: FactKind.ACCEPTED_COUNT,
  turnover_at_most: FactKind.TURNOVER,
};

export const DECISION_FORM: PolicyForm<DecisionOutcome> = {
  outcome,
  trialFacts: TRIAL_FACTS,
  factKinds: FACT_KINDS,
  endsInAlways: true,
};

/**
 * Compiles a decision policy. Throws UnusablePolicy if the text is not a policy or does not end in a rule that always
 * holds.
 */
export function compileDecisionPolicy(text: string): DecisionPolicy {
  const policy = compilePolicy(text, DECISION_FORM);
  return {
    version: policy.version,
    rules: policy.rules,
    decide(enquiry, terms, facts) {
      const match = policy.firstMatch({
        enquiry,
        terms,
        facts: seenFacts(enquiry, facts),
      });
      if (!match) throw new Error('invariant violated: no rule of the decision policy matched');
      return {
        status: OUTCOMES[match.outcome.outcome],
        policyVersion: policy.version,
        rule: match.rule,
        reason: match.outcome.reason,
      };
    },
  };
}

/** Returns the facts under the names used by conditions. */
export function seenFacts(
  enquiry: Enquiry,
  { duplicate, contactChecks, acceptedToday, acceptedThisMonth }: DecisionFacts,
): PolicyInput['facts'] {
  return {
    duplicate,
    ...contactFacts(contactChecks),
    accepted_today: BigInt(acceptedToday),
    accepted_this_month: BigInt(acceptedThisMonth),
    turnover_at_most: BigInt(turnoverAtMost(enquiry)),
  };
}

const NO_BOUND = 1_000_000_000;
const RANGE_BOUNDS: Record<AnnualTurnoverRange, number> = {
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_UNSPECIFIED]: NO_BOUND,
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_UNDER_100K]: 99_999,
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_100K_250K]: 250_000,
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_250K_500K]: 500_000,
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_500K_1M]: 1_000_000,
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_1M_5M]: 5_000_000,
  [AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_OVER_5M]: NO_BOUND,
};

/**
 * Returns the maximum turnover in pounds according to the enquiry. An unstated turnover never counts against a submission.
 */
function turnoverAtMost(enquiry: Enquiry): number {
  return enquiry.annualTurnoverGbp ?? RANGE_BOUNDS[enquiry.annualTurnoverRange];
}
