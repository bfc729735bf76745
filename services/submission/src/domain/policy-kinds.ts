import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { compileDecisionPolicy } from './decision-policy.ts';
import { compilePreUnderwritingPolicy } from './pre-underwriting-policy.ts';

/** The kinds of policy that there are. */
export type KnownPolicyKind = PolicyKind.DECISION | PolicyKind.PRE_UNDERWRITING;

/** A rule as staff are shown it. */
export interface ShownRule {
  readonly rule: string;
  readonly condition: string;
  /** What it leads to: an outcome of a decision, or a category of return. */
  readonly outcome: string;
  /** The internal reason of a decision; empty in pre-underwriting. */
  readonly reason: string;
}

/** A text that can be used, whatever its kind. */
export interface ReadPolicy {
  readonly version: string;
  readonly rules: readonly ShownRule[];
}

interface Kind {
  /** As logs and refusals name it, and the file that a release brings. */
  readonly name: string;
  /** Throws UnusablePolicy. */
  read(text: string): ReadPolicy;
}

export const POLICY_KINDS: Readonly<Record<KnownPolicyKind, Kind>> = {
  [PolicyKind.DECISION]: {
    name: 'decision',
    read(text) {
      const { version, rules } = compileDecisionPolicy(text);
      const shown = rules.map(({ rule, when, outcome }) => ({ rule, condition: when, ...outcome }));
      return { version, rules: shown };
    },
  },
  [PolicyKind.PRE_UNDERWRITING]: {
    name: 'pre-underwriting',
    read(text) {
      const { version, rules } = compilePreUnderwritingPolicy(text);
      const shown = rules.map(({ rule, when, outcome: { category } }) => ({
        rule,
        condition: when,
        outcome: category,
        reason: '',
      }));
      return { version, rules: shown };
    },
  },
};

export const ALL_KINDS: readonly KnownPolicyKind[] = [PolicyKind.DECISION, PolicyKind.PRE_UNDERWRITING];

/** Undefined for a number that is no kind. */
export function knownKind(kind: PolicyKind): KnownPolicyKind | undefined {
  return ALL_KINDS.find((known) => known === kind);
}

/** How the audit log names a version. */
export const policyTarget = (kind: KnownPolicyKind, version: string): string =>
  `${POLICY_KINDS[kind].name}/${version}`;
