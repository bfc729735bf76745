import { z } from 'zod';
import { MAX_POLICY_PARTS, measureCondition } from './condition-text.ts';
import {
  type Condition,
  ConditionFailed,
  type ConditionInput,
  compileCondition,
  conditionInput,
} from './policy-condition.ts';
import type { KnownFactKind, PolicyInput } from './seen-by-conditions.ts';

/** Maximum size of a policy text, in bytes of UTF-8. */
const MAX_BYTES = 65_536;
const MAX_RULES = 200;
const MAX_VIOLATIONS = 50;
/** The maximum number of steps of a policy for one enquiry, up to three milliseconds. */
const MAX_POLICY_COST = 5_000;
/** Recorded instead of a version when no policy decided. */
const RESERVED = ['staff', 'sandbox'];

export interface PolicyViolation {
  /** Name of the rule; empty if the fault does not belong to one rule. */
  readonly rule: string;
  readonly place: string;
  /** One sentence. */
  readonly message: string;
}

/** A text that is not a usable policy. The message lists its violations, each with its place. */
export class UnusablePolicy extends Error {
  override readonly name = 'UnusablePolicy';
  readonly violations: readonly PolicyViolation[];

  constructor(violations: readonly PolicyViolation[]) {
    super(violations.map(({ place, message }) => `${place}: ${message}`).join(' '));
    this.violations = violations;
  }
}

/** The format of the rules of one policy kind. */
export interface PolicyForm<Outcome> {
  /** The fields of a rule besides its name and condition. */
  readonly outcome: z.ZodType<Outcome>;
  /** All facts that conditions may use. */
  readonly trialFacts: PolicyInput['facts'];
  readonly factKinds: Readonly<Record<string, KnownFactKind>>;
  /** Whether the last rule must always hold, so that at least one does. */
  readonly endsInAlways: boolean;
}

export interface Policy<Outcome> {
  readonly version: string;
  readonly rules: readonly PolicyRule<Outcome>[];
  /** Returns the first rule, in order, that holds; undefined if none does. */
  firstMatch(input: PolicyInput): PolicyRule<Outcome> | undefined;
}

export interface PolicyRule<Outcome> {
  readonly rule: string;
  readonly when: string;
  readonly outcome: Outcome;
}

const policyFile = z.strictObject({
  version: z
    .string()
    .regex(/^[0-9a-z][0-9a-z.-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits, dots and hyphens')
    .refine((version) => !RESERVED.includes(version), `must not be ${RESERVED.join(' or ')}`),
  rules: z
    .array(z.unknown())
    .min(1, 'must have at least one rule')
    .max(MAX_RULES, `must have at most ${MAX_RULES} rules`),
});
const ruleHead = z.looseObject({
  rule: z.string().regex(/^[a-z-]{1,64}$/, 'must be 1 to 64 lower-case letters and hyphens'),
  when: z.string().min(1, 'must not be empty').max(4_000, 'must have at most 4,000 characters'),
});

interface Compiled<Outcome> extends PolicyRule<Outcome> {
  readonly condition: Condition;
}

/**
 * Compiles an ordered list of rules, each a condition in CEL over `enquiry`, `terms` and `facts`, and tries every
 * condition once. Throws UnusablePolicy for any other text: a rule that does not parse, names an unknown or hidden
 * field, is not a condition or could take too long; two rules with the same name; a last rule that does not always hold
 * when it must. Runs in bounded time for any text. Implements docs/contract.md, section 5.
 */
export function compilePolicy<Outcome>(text: string, form: PolicyForm<Outcome>): Policy<Outcome> {
  const violations: PolicyViolation[] = [];
  const file = readFile(text, violations);
  const read = (file?.rules ?? []).map((rule, index) => readRule(rule, index, form));
  const tooLong = isTooLong(read);
  if (tooLong) violations.push({ ...WHOLE, message: TOO_LONG });
  const compiled = tooLong ? [] : read.map((rule) => compileRule(rule, form));
  violations.push(...compiled.flatMap((rule) => rule.violations));
  const rules = compiled.flatMap(({ rule }) => (rule ? [rule] : []));
  if (file) violations.push(...repeatedNames(rules));
  if (rules.length > 0 && rules.length === read.length)
    violations.push(...wrongOrder(rules, form.endsInAlways));
  const cost = rules.reduce((sum, { condition }) => sum + condition.cost, 0);
  if (cost > MAX_POLICY_COST) violations.push({ ...WHOLE, message: tooCostly(cost) });
  if (!file || violations.length > 0) throw new UnusablePolicy(violations.slice(0, MAX_VIOLATIONS));
  return {
    version: file.version,
    rules: rules.map(({ rule, when, outcome }) => ({ rule, when, outcome })),
    firstMatch(input) {
      const seen = conditionInput(input);
      return rules.find((rule) => holds(rule, seen));
    },
  };
}

/** Returns the readable rules of a text, without checking their conditions. */
export function statedRules<Outcome>(text: string, form: PolicyForm<Outcome>): PolicyRule<Outcome>[] {
  return (readFile(text, [])?.rules ?? []).flatMap((rule, index) => {
    const { stated } = readRule(rule, index, form);
    return stated ? [stated] : [];
  });
}

const WHOLE = { rule: '', place: 'the text' };
const TOO_LONG = `All conditions together have more than ${MAX_POLICY_PARTS} tokens.`;
const tooCostly = (cost: number) =>
  `All conditions together can take ${cost} steps, more than ${MAX_POLICY_COST}.`;

function isTooLong(rules: readonly ReadRule<unknown>[]): boolean {
  const parts = rules.map(({ head }) => {
    const measured = head ? measureCondition(head.when) : { parts: 0 };
    return 'parts' in measured ? measured.parts : 0;
  });
  return parts.reduce((sum, some) => sum + some, 0) > MAX_POLICY_PARTS;
}

function holds({ rule, condition }: Compiled<unknown>, input: ConditionInput): boolean {
  try {
    return condition.holds(input);
  } catch (error) {
    // Third-party messages may contain a customer's data.
    const failure = error instanceof ConditionFailed ? error.message : 'fails: other';
    throw new Error(`the condition of rule ${rule} ${failure}`);
  }
}

function readFile(text: string, violations: PolicyViolation[]): z.infer<typeof policyFile> | undefined {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    violations.push({ ...WHOLE, message: `The text is longer than ${MAX_BYTES} bytes.` });
    return undefined;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/ is not valid JSON$/, '') : 'it cannot be read';
    violations.push({ ...WHOLE, message: `The text is not JSON: ${reason}.` });
    return undefined;
  }
  const read = policyFile.safeParse(json);
  if (read.success) return read.data;
  violations.push(...read.error.issues.flatMap((issue) => issueViolations(issue, '', 'the policy')));
  return undefined;
}

interface ReadRule<Outcome> {
  readonly place: string;
  readonly violations: readonly PolicyViolation[];
  /** Present if its name and condition are readable. */
  readonly head?: { readonly rule: string; readonly when: string };
  /** Present if the whole rule is readable. */
  readonly stated?: PolicyRule<Outcome>;
}

function readRule<Outcome>(
  given: unknown,
  index: number,
  { outcome }: PolicyForm<Outcome>,
): ReadRule<Outcome> {
  const place = `rule ${index + 1}`;
  const head = ruleHead.safeParse(given);
  if (!head.success) {
    const name = nameOf(given);
    return { place, violations: head.error.issues.flatMap((issue) => issueViolations(issue, name, place)) };
  }
  const { rule, when, ...rest } = head.data;
  const led = outcome.safeParse(rest);
  if (led.success)
    return { place, violations: [], head: { rule, when }, stated: { rule, when, outcome: led.data } };
  const violations = led.error.issues.flatMap((issue) => issueViolations(issue, rule, place));
  return { place, violations, head: { rule, when } };
}

function compileRule<Outcome>(
  { place, head, stated, violations }: ReadRule<Outcome>,
  { trialFacts }: PolicyForm<Outcome>,
): { readonly violations: readonly PolicyViolation[]; readonly rule?: Compiled<Outcome> } {
  if (!head) return { violations };
  const compiled = compileCondition(head.when, trialFacts);
  if ('condition' in compiled)
    return { violations, ...(stated && { rule: { ...stated, condition: compiled.condition } }) };
  const { rule } = head;
  const faults = compiled.faults.map((message) => ({ rule, place: `${place}, condition`, message }));
  return { violations: [...violations, ...faults] };
}

function nameOf(given: unknown): string {
  const name = typeof given === 'object' && given !== null && 'rule' in given ? given.rule : '';
  return typeof name === 'string' ? name.slice(0, 64) : '';
}

function issueViolations(issue: z.core.$ZodIssue, rule: string, place: string): PolicyViolation[] {
  const field = String(issue.path[0] ?? '');
  const say = (message: string) => ({ rule, place: field ? `${place}, ${field}` : place, message });
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => say(`There is no field "${key.slice(0, 64)}" here.`));
    case 'invalid_value':
      return [say(`"${field}" must be one of ${issue.values.join(', ')}.`)];
    case 'invalid_type':
      return [
        say(
          field
            ? `"${field}" is missing, or is not of type ${issue.expected}.`
            : `It is not of type ${issue.expected}.`,
        ),
      ];
    default:
      return [say(`"${field}" ${issue.message}.`)];
  }
}

function repeatedNames(rules: readonly PolicyRule<unknown>[]): PolicyViolation[] {
  const names = rules.map(({ rule }) => rule);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((rule) => ({
    rule,
    place: 'the rules',
    message: `Two rules are named "${rule}".`,
  }));
}

function wrongOrder(rules: readonly Compiled<unknown>[], endsInAlways: boolean): PolicyViolation[] {
  const last = rules.length - 1;
  const first = rules.findIndex(({ condition }) => condition.always);
  const always = rules[first];
  if (always && first < last) {
    const message = 'This rule always applies, so later rules are never reached.';
    return [{ rule: always.rule, place: `rule ${first + 1}, condition`, message }];
  }
  if (!endsInAlways || always || last < 0) return [];
  const message = 'The last rule must always apply: its condition must be just true.';
  return [{ rule: rules[last]?.rule ?? '', place: `rule ${last + 1}, condition`, message }];
}
