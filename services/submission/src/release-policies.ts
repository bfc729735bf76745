import { readFileSync } from 'node:fs';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { compileDecisionPolicy } from './model/policy/decision-policy.ts';
import { type KnownPolicyKind, POLICY_KINDS } from './model/policy/policy-kinds.ts';
import { compilePreUnderwritingPolicy } from './model/policy/pre-underwriting-policy.ts';
import type { Policies } from './policies/active-policies.ts';

/**
 * Returns the policy texts of this release. This module is in this folder because a bundle puts all code next to
 * `policy`.
 */
export function releaseTexts(): Readonly<Record<KnownPolicyKind, string>> {
  const text = (kind: KnownPolicyKind) =>
    readFileSync(new URL(`../policy/${POLICY_KINDS[kind].name}.json`, import.meta.url), 'utf8');
  return {
    [PolicyKind.DECISION]: text(PolicyKind.DECISION),
    [PolicyKind.PRE_UNDERWRITING]: text(PolicyKind.PRE_UNDERWRITING),
  };
}

/** Returns the policies of this release, whether or not they are active. */
export function releasePolicies(): Policies {
  const texts = releaseTexts();
  return {
    decision: compileDecisionPolicy(texts[PolicyKind.DECISION]),
    preUnderwriting: compilePreUnderwritingPolicy(texts[PolicyKind.PRE_UNDERWRITING]),
  };
}
