import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { compileDecisionPolicy, DECISION_FORM, type DecisionOutcome } from './decision-policy.ts';
import { type PolicyRule, statedRules } from './policy.ts';
import {
  compilePreUnderwritingPolicy,
  PRE_UNDERWRITING_FORM,
  type PreUnderwritingOutcome,
} from './pre-underwriting-policy.ts';

/** All kinds of policy. */
export type KnownPolicyKind = PolicyKind.DECISION | PolicyKind.PRE_UNDERWRITING;

/** A rule as staff are shown it. */
export interface ShownRule {
  readonly rule: string;
  readonly condition: string;
  /** Its outcome: a decision, or a category of return. */
  readonly outcome: string;
  /** The internal reason of a decision; empty in pre-underwriting. */
  readonly reason: string;
}

/** A usable policy of either kind. */
export interface ReadPolicy {
  readonly version: string;
  readonly rules: readonly ShownRule[];
}

interface Kind {
  /** Its name in logs and refusals, and of the file in a release. */
  readonly name: string;
  /** Throws UnusablePolicy. */
  read(text: string): ReadPolicy;
  /** The rules that a text states, whether or not it is usable: nothing is compiled. */
  statedRules(text: string): readonly ShownRule[];
}

export const POLICY_KINDS: Readonly<Record<KnownPolicyKind, Kind>> = {
  [PolicyKind.DECISION]: {
    name: 'decision',
    read(text) {
      const { version, rules } = compileDecisionPolicy(text);
      return { version, rules: rules.map(shownDecision) };
    },
    statedRules: (text) => statedRules(text, DECISION_FORM).map(shownDecision),
  },
  [PolicyKind.PRE_UNDERWRITING]: {
    name: 'pre-underwriting',
    read(text) {
      const { version, rules } = compilePreUnderwritingPolicy(text);
      return { version, rules: rules.map(shownPreUnderwriting) };
    },
    statedRules: (text) => statedRules(text, PRE_UNDERWRITING_FORM).map(shownPreUnderwriting),
  },
};

function shownDecision({ rule, when, outcome }: PolicyRule<DecisionOutcome>): ShownRule {
  return { rule, condition: when, ...outcome };
}

function shownPreUnderwriting({ rule, when, outcome }: PolicyRule<PreUnderwritingOutcome>): ShownRule {
  return { rule, condition: when, outcome: outcome.category, reason: '' };
}

export const ALL_KINDS: readonly KnownPolicyKind[] = [PolicyKind.DECISION, PolicyKind.PRE_UNDERWRITING];

/** Undefined for an unknown number. */
export function knownKind(kind: PolicyKind): KnownPolicyKind | undefined {
  return ALL_KINDS.find((known) => known === kind);
}

/** How the audit log names a version. */
export const policyTarget = (kind: KnownPolicyKind, version: string): string =>
  `${POLICY_KINDS[kind].name}/${version}`;
