import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { releaseTexts } from '../release-policies.ts';
import { type PolicyViolation, UnusablePolicy } from './policy.ts';
import { ALL_KINDS, type KnownPolicyKind, POLICY_KINDS } from './policy-kinds.ts';

const LAST = { rule: 'rest', when: 'true', outcome: 'accepted', reason: 'Nothing speaks against it.' };
const decision = (...rules: unknown[]) => JSON.stringify({ version: 'v1', rules });
/** A policy whose first rule has this condition. */
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
  it.each(ALL_KINDS)('of kind %s that this release brings can be used', (kind) => {
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
    // A mistake behind something that does not hold would wait for the first enquiry of which it does.
    [
      'has(terms.thresholds.minimum_funding_amount) && enquiry.funding_amont < 3',
      'Enquiry has no field "funding_amont".',
    ],
    ['facts.duplicate && has(terms.thresholds.minimum)', 'Thresholds has no field "minimum".'],
    ['facts.duplicate && facts.rejected_today > 1', 'There is no fact "rejected_today".'],
    [
      'facts.duplicate && enquiri.funding_amount > 1',
      'There is no "enquiri": conditions look at enquiry, terms and facts.',
    ],
    [
      'enquiry.credit_screening.company_status == ScreeningResult.FAILED',
      'ScreeningResult has no value "FAILED".',
    ],
    ['facts.duplicate && enquiry.funding_amount > "3"', '">" does not take int and text.'],
    ['facts.duplicate && enquiry.funding_amount', 'A part of the condition is neither true nor false.'],
    ['facts.duplicate && matching(enquiry.city)', /^(Enquiry has no field "city"|A part)/],
    ['1 + 1', 'The condition is neither true nor false.'],
    ['enquiry.', /^The condition is not CEL: .* at character \d+\.$/],
    ['1 / enquiry.funding_amount > 1', /^The condition fails for an enquiry that states nothing: .*zero\.$/],
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
      'is called like a decision by staff',
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
      'has a rule with a field too many',
      decision({ ...LAST, resaon: 'r' }),
      violation('rest', 'rule 1', 'There is no field "resaon" here.'),
    ],
    [
      'has two rules of one name',
      decision({ ...LAST, when: 'facts.duplicate' }, LAST),
      violation('rest', 'the rules', 'Two rules have the name "rest".'),
    ],
    [
      'does not end in a rule that always holds',
      withCondition('facts.duplicate').replace('"when":"true"', '"when":"facts.duplicate"'),
      violation(
        'rest',
        'rule 2, condition',
        'The last rule must always hold: its condition must be true, and nothing else.',
      ),
    ],
    [
      'has rules that are never reached',
      decision(LAST, { ...LAST, rule: 'more' }),
      violation(
        'rest',
        'rule 1, condition',
        'This rule always holds, so that none after it is ever reached.',
      ),
    ],
  ])('cannot be used when it %s', (_what, text, expected) => {
    expect(violations(text)).toContainEqual(expected);
  });

  it('says all that is wrong with it at once, rule by rule', () => {
    const wrong = decision(
      { ...LAST, rule: 'a', when: 'enquiry.x' },
      { ...LAST, rule: 'b', outcome: 'no' },
      LAST,
    );
    expect(violations(wrong).map(({ rule }) => rule)).toEqual(['a', 'b']);
  });

  it('of pre-underwriting needs no last rule, and has no facts', () => {
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
