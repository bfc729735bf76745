import {
  isNumber,
  newVersion,
  numbersOf,
  parsedPolicy,
  withNumber,
  withVersion,
} from '../web/src/screens/policy/policy-numbers.ts';

const TEXT = JSON.stringify({
  version: '2026-11',
  rules: [
    {
      rule: 'large',
      when: 'enquiry.funding_amount > 500000 && facts.age_2 in ["5", \'7\'] || enquiry.score < 1.5',
      outcome: 'rejected',
    },
    {
      rule: 'rest',
      when: 'enquiry.trading_duration != TradingDuration.TRADING_DURATION_1_2_YEARS',
      outcome: 'accepted',
    },
  ],
});

/** Returns the policy of a text that has one. */
function policyOf(text: string) {
  const policy = parsedPolicy(text);
  if (!policy) throw new Error('the text could not be parsed as a policy');
  return policy;
}

describe('the numbers of a policy', () => {
  it('are those in its conditions, outside of names and strings', () => {
    expect(numbersOf(policyOf(TEXT)).map(({ rule, clause, value }) => [rule, clause, value])).toEqual([
      ['large', 'enquiry.funding_amount > …', '500000'],
      ['large', 'enquiry.score < …', '1.5'],
    ]);
  });

  it('are changed one at a time, and nothing else is', () => {
    const policy = policyOf(TEXT);
    const [first, second] = numbersOf(policy);
    if (!first || !second) throw new Error('there are two');
    expect(JSON.parse(withNumber(policy, second, '20'))).toEqual(JSON.parse(TEXT.replace('1.5', '20')));
    expect(JSON.parse(withNumber(policy, first, '7'))).toEqual(JSON.parse(TEXT.replace('500000', '7')));
  });

  it.each([
    ['0', true],
    ['500000', true],
    ['1.5', true],
    ['3u', true],
    ['', false],
    ['1,000', false],
    ['1 || true', false],
    ['-1', false],
  ])('can become %p or not', (text, expected) => expect(isNumber(text)).toBe(expected));
});

it('a version is renamed, and nothing else is', () => {
  expect(JSON.parse(withVersion(policyOf(TEXT), 'b'))).toEqual(JSON.parse(TEXT.replace('2026-11', 'b')));
});

it.each([
  '',
  '{',
  '[]',
  'null',
  '{"version":1,"rules":[]}',
  '{"version":"a","rules":[{"rule":"b"}]}',
  '{"version":"a"}',
])('there are no numbers in %p, which is no policy', (text) => expect(parsedPolicy(text)).toBeUndefined());

it('a draft is named after the minute in UTC in which it was begun', () => {
  expect(newVersion(new Date('2026-11-29T09:30:59+13:00'))).toBe('2026-11-28-2030');
});
