import { create } from '@bufbuild/protobuf';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { type Environment, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { z } from 'zod';
import { compilePolicy } from './policy.ts';
import { simulationOf } from './sandbox-simulation.ts';

/** How an Application came out of pre-underwriting; `failure` is undefined when it is cleared. */
export interface PreUnderwritingResult {
  readonly policyVersion: string;
  readonly failure: { readonly rule: string; readonly category: ReturnReasonCategory } | undefined;
}

export interface PreUnderwritingPolicy {
  assess(enquiry: Enquiry): PreUnderwritingResult;
}

const CATEGORIES = {
  company_dissolved_or_insolvent: ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT,
  outstanding_ccjs: ReturnReasonCategory.OUTSTANDING_CCJS,
  adverse_credit_profile: ReturnReasonCategory.ADVERSE_CREDIT_PROFILE,
  weak_financial_position: ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
  pre_underwriting_criteria_not_met: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET,
} as const;

/** Compiles the pre-underwriting policy. Overdue filings are found by staff only, so no rule may name them. */
export function compilePreUnderwritingPolicy(text: string): PreUnderwritingPolicy {
  const names = Object.keys(CATEGORIES) as (keyof typeof CATEGORIES)[];
  const policy = compilePolicy(text, z.strictObject({ category: z.enum(names) }), {});
  return {
    assess(enquiry) {
      const match = policy.firstMatch({ enquiry, terms: create(TermsSchema), facts: {} });
      return {
        policyVersion: policy.version,
        failure: match && { rule: match.rule, category: CATEGORIES[match.outcome.category] },
      };
    },
  };
}

/** What the policy makes of an Application's snapshot, unless the sandbox plays an outcome by the name of the business. */
export function preUnderwritingOf(
  policy: PreUnderwritingPolicy,
  environment: Environment,
  snapshot: Enquiry,
): PreUnderwritingResult {
  const simulation = simulationOf(environment, snapshot.businessName);
  if (simulation?.kind !== 'return') return policy.assess(snapshot);
  return { policyVersion: 'sandbox', failure: { rule: 'simulation', category: simulation.category } };
}
