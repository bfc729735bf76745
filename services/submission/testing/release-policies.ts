import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { compileDecisionPolicy } from '../src/model/policy/decision-policy.ts';
import { compilePreUnderwritingPolicy } from '../src/model/policy/pre-underwriting-policy.ts';
import { releaseTexts as textsIn } from '../src/policies/start-policies.ts';
import type { Policies } from '../src/store/active-policies.ts';

export const releaseTexts = () => textsIn(new URL('../', import.meta.url));

/** Returns the policies of this release, whether or not they are active. */
export function releasePolicies(): Policies {
  const texts = releaseTexts();
  return {
    decision: compileDecisionPolicy(texts[PolicyKind.DECISION]),
    preUnderwriting: compilePreUnderwritingPolicy(texts[PolicyKind.PRE_UNDERWRITING]),
  };
}
