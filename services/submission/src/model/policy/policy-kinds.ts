import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { compileDecisionPolicy, DECISION_FORM, type DecisionOutcome } from './decision-policy.ts';
import { type PolicyRule, statedRules } from './policy.ts';
import {
  compilePreUnderwritingPolicy,
  PRE_UNDERWRITING_FORM,
  type PreUnderwritingOutcome,
} from './pre-underwriting-policy.ts';

export type KnownPolicyKind = PolicyKind.DECISION | PolicyKind.PRE_UNDERWRITING;

export interface ShownRule {
  readonly rule: string;
  readonly condition: string;
  /** Its outcome: a decision, or a return category. */
  readonly outcome: string;
  /** The internal reason of a decision; empty for pre-underwriting. */
  readonly reason: string;
}

export interface ReadPolicy {
  readonly version: string;
  readonly rules: readonly ShownRule[];
}

interface Kind {
  /** Its name in logs, in refusals and as a file name in a release. */
  readonly name: string;
  /** Throws UnusablePolicy. */
  read(text: string): ReadPolicy;
  /** Returns the rules stated by a text, usable or not, without compiling them. */
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

/** Returns the known kind; undefined for an unknown number. */
export function knownKind(kind: PolicyKind): KnownPolicyKind | undefined {
  return ALL_KINDS.find((known) => known === kind);
}

/** Returns the name of a version in the audit log. */
export const policyTarget = (kind: KnownPolicyKind, version: string): string =>
  `${POLICY_KINDS[kind].name}/${version}`;
