/** A number in a policy's rules, which a person can change without editing the rules' text. */
export interface PolicyNumber {
  readonly rule: string;
  /** The part of the condition around the number: "enquiry.funding_amount > …". */
  readonly clause: string;
  readonly value: string;
  /** Place of the rule, and of the number in its condition. */
  readonly ruleAt: number;
  readonly at: number;
}

interface Rule {
  readonly rule: string;
  readonly when: string;
}

/** A policy's text as an object, as far as its version and rules can be read. */
interface PolicyText {
  readonly version: string;
  readonly rules: readonly Rule[];
}

/** Parses a policy's text. Returns undefined unless it has a version and rules. */
export function parsedPolicy(text: string): PolicyText | undefined {
  try {
    const policy: Partial<PolicyText> = JSON.parse(text);
    const isComplete =
      typeof policy.version === 'string' &&
      Array.isArray(policy.rules) &&
      policy.rules.every((rule) => typeof rule?.rule === 'string' && typeof rule.when === 'string');
    return isComplete ? (policy as PolicyText) : undefined;
  } catch {
    return undefined;
  }
}

/** Matches strings and names as a whole, so that digits in them aren't taken for numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.]*|\d+(?:\.\d+)?u?/g;

/** Returns the numbers in the conditions of a policy's rules. */
export const numbersOf = ({ rules }: PolicyText): PolicyNumber[] =>
  rules.flatMap(({ rule, when }, ruleAt) =>
    [...when.matchAll(TOKENS)]
      .filter(([token]) => /^\d/.test(token))
      .map(({ 0: value, index: at }) => {
        const before =
          when
            .slice(0, at)
            .split(/&&|\|\|/)
            .at(-1) ?? '';
        const after = when.slice(at + value.length).split(/&&|\|\|/)[0] ?? '';
        return { rule, clause: `${before}…${after}`.trim(), value, ruleAt, at };
      }),
  );

/** Returns whether a text can take the place of a number in a condition. */
export const isNumber = (text: string): boolean => /^\d{1,15}(?:\.\d{1,6})?u?$/.test(text);

/** Returns a version's name for a draft begun at a time: "2026-11-29-0930". */
export const newVersion = (now: Date): string =>
  now.toISOString().slice(0, 16).replace('T', '-').replace(':', '');

/** Returns a policy's text with another version. */
export const withVersion = (policy: PolicyText, version: string): string => textOf({ ...policy, version });

/** Returns a policy's text with another value for one of its numbers. */
export function withNumber(policy: PolicyText, { ruleAt, at, value }: PolicyNumber, next: string): string {
  const rules = policy.rules.map((rule, place) => {
    const { when } = rule;
    return place === ruleAt
      ? { ...rule, when: `${when.slice(0, at)}${next}${when.slice(at + value.length)}` }
      : rule;
  });
  return textOf({ ...policy, rules });
}

const textOf = (policy: PolicyText) => JSON.stringify(policy, null, 2);
