import { create } from '@bufbuild/protobuf';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { type Environment, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { z } from 'zod';
import { simulationOf } from '../sandbox-simulation.ts';
import { compilePolicy, type PolicyForm, type PolicyRule } from './policy.ts';

/** The result of pre-underwriting an Application; `failure` is undefined if it was cleared. */
export interface PreUnderwritingResult {
  readonly policyVersion: string;
  readonly failure: { readonly rule: string; readonly category: ReturnReasonCategory } | undefined;
}

export interface PreUnderwritingPolicy {
  readonly version: string;
  readonly rules: readonly PolicyRule<PreUnderwritingOutcome>[];
  assess(enquiry: Enquiry): PreUnderwritingResult;
}

const CATEGORIES = {
  company_dissolved_or_insolvent: ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT,
  outstanding_ccjs: ReturnReasonCategory.OUTSTANDING_CCJS,
  adverse_credit_profile: ReturnReasonCategory.ADVERSE_CREDIT_PROFILE,
  weak_financial_position: ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
  pre_underwriting_criteria_not_met: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET,
} as const;

const outcome = z.strictObject({ category: z.enum(Object.keys(CATEGORIES) as (keyof typeof CATEGORIES)[]) });
export type PreUnderwritingOutcome = z.infer<typeof outcome>;

export const PRE_UNDERWRITING_FORM: PolicyForm<PreUnderwritingOutcome> = {
  outcome,
  trialFacts: {},
  factKinds: {},
  endsInAlways: false,
};

/**
 * Compiles a pre-underwriting policy. An Application that matches no rule is cleared. Only staff detect overdue
 * filings, so no rule may use that category. Throws UnusablePolicy.
 */
export function compilePreUnderwritingPolicy(text: string): PreUnderwritingPolicy {
  const policy = compilePolicy(text, PRE_UNDERWRITING_FORM);
  return {
    version: policy.version,
    rules: policy.rules,
    assess(enquiry) {
      const match = policy.firstMatch({ enquiry, terms: create(TermsSchema), facts: {} });
      return {
        policyVersion: policy.version,
        failure: match && { rule: match.rule, category: CATEGORIES[match.outcome.category] },
      };
    },
  };
}

/** Returns the policy's result for an Application's snapshot, unless the business name selects a sandbox simulation. */
export function preUnderwritingOf(
  policy: PreUnderwritingPolicy,
  environment: Environment,
  snapshot: Enquiry,
): PreUnderwritingResult {
  const simulation = simulationOf(environment, snapshot.businessName);
  if (simulation?.kind !== 'return') return policy.assess(snapshot);
  return { policyVersion: 'sandbox', failure: { rule: 'simulation', category: simulation.category } };
}
