import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { releaseTexts } from '../../../testing/release-policies.ts';
import { type PolicyViolation, UnusablePolicy } from './policy.ts';
import { ALL_KINDS, type KnownPolicyKind, POLICY_KINDS } from './policy-kinds.ts';

const LAST = { rule: 'rest', when: 'true', outcome: 'accepted', reason: 'No other rule matches.' };
const decision = (...rules: unknown[]) => JSON.stringify({ version: 'v1', rules });
/** Returns a policy whose first rule has this condition. */
const withCondition = (when: string) => decision({ ...LAST, rule: 'first', when }, LAST);

function violations(text: string, kind: KnownPolicyKind = PolicyKind.DECISION): readonly PolicyViolation[] {
  try {
    POLICY_KINDS[kind].read(text);
    return [];
  } catch (error) {
    if (error instanceof UnusablePolicy) return error.violations;
    throw error;
  }
}

describe('a policy', () => {
  it.each(ALL_KINDS)('of kind %s in this release is usable', (kind) => {
    expect(violations(releaseTexts()[kind], kind)).toEqual([]);
  });

  it.each([
    'has(terms.thresholds.minimum_funding_amount) && enquiry.funding_amount > 3',
    'enquiry.business_sector in terms.thresholds.excluded_sectors',
    'terms.thresholds.excluded_sectors.exists(sector, sector == enquiry.business_sector)',
    'enquiry.credit_screening.company_status == ScreeningResult.SCREENING_RESULT_FAIL',
    'facts.accepted_today >= 3 ? facts.duplicate : enquiry.funding_amount == 0',
    'enquiry.funding_amount != 0 && 100 / enquiry.funding_amount > 3',
    'type(enquiry.funding_amount) == int',
  ])('may have the condition %s', (when) => {
    expect(violations(withCondition(when))).toEqual([]);
  });

  it.each([
    ['enquiry.funding_amont < 3', 'Enquiry has no field "funding_amont".'],
    // A fault in a branch that does not apply would only appear with the first enquiry for which it does.
    [
      'has(terms.thresholds.minimum_funding_amount) && enquiry.funding_amont < 3',
      'Enquiry has no field "funding_amont".',
    ],
    ['facts.duplicate && has(terms.thresholds.minimum)', 'Thresholds has no field "minimum".'],
    ['facts.duplicate && facts.rejected_today > 1', 'There is no fact "rejected_today".'],
    [
      'facts.duplicate && enquiri.funding_amount > 1',
      'There is no "enquiri". Conditions can use enquiry, terms and facts.',
    ],
    [
      'enquiry.credit_screening.company_status == ScreeningResult.FAILED',
      'ScreeningResult has no value "FAILED".',
    ],
    ['facts.duplicate && enquiry.funding_amount > "3"', '">" does not accept int and text.'],
    ['facts.duplicate && enquiry.funding_amount', 'A part of the condition is neither true nor false.'],
    ['facts.duplicate && matching(enquiry.city)', /^(Enquiry has no field "city"|A part)/],
    ['1 + 1', 'The condition is neither true nor false.'],
    ['enquiry.', /^The condition is not valid CEL: .* at character \d+\.$/],
    ['1 / enquiry.funding_amount > 1', /^The condition fails for an empty enquiry: .*zero\.$/],
  ])('may not have the condition %s', (when, message) => {
    expect(violations(withCondition(when))).toContainEqual({
      rule: 'first',
      place: 'rule 1, condition',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it.each<[string, string, PolicyViolation]>([
    [
      'is not JSON',
      '{"version": "v1",\n"rules": [}',
      violation('', 'the text', expect.stringMatching(/^The text is not JSON: Unexpected token '}'/)),
    ],
    [
      'is too long',
      decision({ ...LAST, reason: 'x'.repeat(70_000) }),
      violation('', 'the text', 'The text is longer than 65536 bytes.'),
    ],
    [
      'has a mistyped field',
      JSON.stringify({ version: 'v1', ruls: [], rules: [LAST] }),
      violation('', 'the policy', 'There is no field "ruls" here.'),
    ],
    [
      'has no version',
      JSON.stringify({ rules: [LAST] }),
      violation('', 'the policy, version', '"version" is missing, or is not of type string.'),
    ],
    [
      'is named like a decision by staff',
      JSON.stringify({ version: 'staff', rules: [LAST] }),
      violation('', 'the policy, version', '"version" must not be staff or sandbox.'),
    ],
    [
      'has a rule without a condition',
      decision({ rule: 'a', outcome: 'accepted', reason: 'r' }, LAST),
      violation('a', 'rule 1, when', '"when" is missing, or is not of type string.'),
    ],
    [
      'has an unknown outcome',
      decision({ ...LAST, outcome: 'maybe' }),
      violation(
        'rest',
        'rule 1, outcome',
        '"outcome" must be one of accepted, rejected, duplicate_not_accepted.',
      ),
    ],
    [
      'has a rule with an extra field',
      decision({ ...LAST, resaon: 'r' }),
      violation('rest', 'rule 1', 'There is no field "resaon" here.'),
    ],
    [
      'has two rules with the same name',
      decision({ ...LAST, when: 'facts.duplicate' }, LAST),
      violation('rest', 'the rules', 'Two rules are named "rest".'),
    ],
    [
      'does not end in a rule that always holds',
      withCondition('facts.duplicate').replace('"when":"true"', '"when":"facts.duplicate"'),
      violation(
        'rest',
        'rule 2, condition',
        'The last rule must always apply: its condition must be just true.',
      ),
    ],
    [
      'has rules that are never reached',
      decision(LAST, { ...LAST, rule: 'more' }),
      violation('rest', 'rule 1, condition', 'This rule always applies, so later rules are never reached.'),
    ],
  ])('is unusable when it %s', (_what, text, expected) => {
    expect(violations(text)).toContainEqual(expected);
  });

  it.each([
    ['is empty', '', 'the text: The text is not JSON: Unexpected end of JSON input.'],
    ['is not an object', 'null', 'the policy: It is not of type object.'],
    ['has no rule', decision(), 'the policy, rules: "rules" must have at least one rule.'],
    ['has a rule that is null', decision(null, LAST), 'rule 1: It is not of type object.'],
    ['has a rule that is a string', decision('rule', LAST), 'rule 1: It is not of type object.'],
    [
      'has a rule whose name is a number',
      decision({ ...LAST, rule: 5 }),
      'rule 1, rule: "rule" is missing, or is not of type string.',
    ],
    [
      'has a rule with an empty condition',
      decision({ ...LAST, when: '' }),
      'rule 1, when: "when" must not be empty.',
    ],
    [
      'has a rule without a reason',
      decision({ ...LAST, reason: '' }),
      'rule 1, reason: "reason" must not be empty.',
    ],
    [
      'has a reason of 201 characters',
      decision({ ...LAST, reason: 'x'.repeat(201) }),
      'rule 1, reason: "reason" must have at most 200 characters.',
    ],
    [
      'has a condition of 4,001 characters',
      decision({ ...LAST, when: ' '.repeat(4_001) }),
      'rule 1, when: "when" must have at most 4,000 characters.',
    ],
    [
      'has two faults',
      decision({ ...LAST, reason: '', more: 1 }),
      'rule 1, reason: "reason" must not be empty. rule 1: There is no field "more" here.',
    ],
  ])('reports the place of each fault when it %s', (_what, text, message) => {
    expect(() => POLICY_KINDS[PolicyKind.DECISION].read(text)).toThrow(
      expect.objectContaining({ name: 'UnusablePolicy', message: expect.stringContaining(message) }),
    );
  });

  it.each(['v', '2026-11-21.1', 'a'.repeat(64)])('may have the version %s', (version) => {
    expect(violations(JSON.stringify({ version, rules: [LAST] }))).toEqual([]);
  });

  it.each(['', 'V1', '-v', 'v 1', 'v_1', 'a'.repeat(65)])('may not have the version %j', (version) => {
    const message = '"version" must be 1 to 64 lower-case letters, digits, dots and hyphens.';
    expect(violations(JSON.stringify({ version, rules: [LAST] }))).toEqual([
      violation('', 'the policy, version', message),
    ]);
  });

  it.each(['', 'Rest', 'rest1', '1rest', 'the rest', 'a'.repeat(65)])(
    'may not have a rule named %j',
    (rule) => {
      const message = '"rule" must be 1 to 64 lower-case letters and hyphens.';
      expect(violations(decision({ ...LAST, rule }))).toEqual([
        violation(rule.slice(0, 64), 'rule 1, rule', message),
      ]);
    },
  );

  it('may have at most 200 rules', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const others = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...LAST,
        rule: `r-${letters[index % 26]}${letters[Math.floor(index / 26)]}`,
        when: 'facts.duplicate',
      }));
    expect(violations(decision(...others(199), LAST))).toEqual([]);
    expect(violations(decision(...others(200), LAST))).toEqual([
      violation('', 'the policy, rules', '"rules" must have at most 200 rules.'),
    ]);
  });

  it('may have at most 65,536 bytes', () => {
    const whole = decision(LAST);
    const padded = (bytes: number) => whole + ' '.repeat(bytes - whole.length);
    expect(violations(padded(65_536))).toEqual([]);
    expect(violations(padded(65_537))).toHaveLength(1);
  });

  it('reports at most 50 faults', () => {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field-${index}`, 1]));
    expect(violations(decision({ ...LAST, ...fields }))).toHaveLength(50);
  });

  it('truncates names in its faults to 64 characters', () => {
    const long = 'z'.repeat(70);
    expect(violations(decision({ ...LAST, [long]: 1 }))[0]?.message).toBe(
      `There is no field "${'z'.repeat(64)}" here.`,
    );
  });

  it('lists the readable rules of an unusable text', () => {
    const { statedRules } = POLICY_KINDS[PolicyKind.DECISION];
    const shown = { rule: 'rest', condition: 'true', outcome: 'accepted', reason: LAST.reason };
    expect(statedRules(decision({ ...LAST, outcome: 'no' }, null, LAST, LAST))).toEqual([shown, shown]);
    expect(statedRules('no JSON')).toEqual([]);
  });

  it.each([
    ['enquiry.', 'found . but expecting end of input at character 8'],
    ['true )', 'found ) but expecting end of input at character 6'],
    ['enquiry.funding_amount > 1.5.3', 'found . but expecting end of input at character 29'],
  ])('reports where its condition %s cannot be parsed', (when, reason) => {
    expect(violations(withCondition(when))).toEqual([
      violation('first', 'rule 1, condition', `The condition is not valid CEL: ${reason}.`),
    ]);
  });

  it('may end in a condition with white space around true', () => {
    expect(violations(decision({ ...LAST, when: ' true ' }))).toEqual([]);
  });

  it('reports all its faults together, rule by rule', () => {
    const wrong = decision(
      { ...LAST, rule: 'a', when: 'enquiry.x' },
      { ...LAST, rule: 'b', outcome: 'no' },
      LAST,
    );
    expect(violations(wrong).map(({ rule }) => rule)).toEqual(['a', 'b']);
  });

  it('for pre-underwriting needs no final rule, and has no facts', () => {
    const rule = { rule: 'a', when: 'enquiry.funding_amount > 3', category: 'outstanding_ccjs' };
    const text = (over: object) => JSON.stringify({ version: 'v1', rules: [{ ...rule, ...over }] });
    expect(violations(text({}), PolicyKind.PRE_UNDERWRITING)).toEqual([]);
    expect(violations(text({ when: 'facts.duplicate' }), PolicyKind.PRE_UNDERWRITING)).toHaveLength(1);
    expect(violations(text({ category: 'overdue_filings' }), PolicyKind.PRE_UNDERWRITING)).toHaveLength(1);
  });
});

function violation(rule: string, place: string, message: string): PolicyViolation {
  return { rule, place, message };
}
