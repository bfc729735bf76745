import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { AdverseCredit, ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { releaseTexts } from '../../../testing/release-policies.ts';
import { type EnquiryInit, sampleEnquiry } from '../../../testing/sample-enquiry.ts';
import { DECISION_FORM, seenFacts } from './decision-policy.ts';
import { explainMatch } from './policy-condition.ts';
import { ALL_KINDS, POLICY_KINDS } from './policy-kinds.ts';

type Terms = MessageInitShape<typeof TermsSchema>;
const NOTHING = { duplicate: false, contactChecks: 0, acceptedToday: 0, acceptedThisMonth: 0 };

function why(when: string, enquiry: EnquiryInit, terms: Terms = {}, facts = {}): string {
  const stated = sampleEnquiry(enquiry);
  const input = {
    enquiry: stated,
    terms: create(TermsSchema, terms),
    facts: seenFacts(stated, { ...NOTHING, ...facts }),
  };
  return explainMatch(when, DECISION_FORM.trialFacts, input);
}
const screening = (over: Omit<NonNullable<EnquiryInit['creditScreening']>, '$typeName'>) => ({
  creditScreening: { provider: 'p', ...over } as NonNullable<EnquiryInit['creditScreening']>,
});

const SHIPPED: Record<string, [EnquiryInit, Terms, object, string]> = {
  duplicate: [{}, {}, { duplicate: true }, ''],
  'company-status-failed': [
    screening({ companyStatus: ScreeningResult.FAIL }),
    {},
    {},
    'credit_screening.company_status is fail',
  ],
  'insolvency-failed': [
    screening({ insolvencyOrWindingUp: ScreeningResult.FAIL }),
    {},
    {},
    'credit_screening.insolvency_or_winding_up is fail',
  ],
  'amount-too-small': [
    { fundingAmount: 25_000 },
    { thresholds: { minimumFundingAmount: 30_000 } },
    {},
    "funding_amount 25,000 is below the account's minimum 30,000",
  ],
  'amount-too-large': [
    { fundingAmount: 1_000_001 },
    { thresholds: { maximumFundingAmount: 1_000_000 } },
    {},
    "funding_amount 1,000,001 is above the account's maximum 1,000,000",
  ],
  'sector-excluded': [
    { businessSector: 1 },
    { thresholds: { excludedSectors: [1, 3] } },
    {},
    "business_sector construction is one of the account's excluded sectors construction, manufacturing",
  ],
  'turnover-too-small': [
    { annualTurnoverRange: 1 },
    { thresholds: { minimumAnnualTurnoverGbp: 100_000 } },
    {},
    "annual turnover of at most 99,999 is below the account's minimum 100,000",
  ],
  'trading-too-short': [
    { tradingDuration: 1 },
    { thresholds: { minimumTradingDuration: 3 } },
    {},
    "trading_duration less-than-1 is below the account's minimum 2-5-years",
  ],
  'day-cap-reached': [
    {},
    { caps: { acceptedPerDay: 3 } },
    { acceptedToday: 3 },
    "accepted today: 3 is at least the account's cap for the day 3",
  ],
  'month-cap-reached': [
    {},
    { caps: { acceptedPerMonth: 1_000 } },
    { acceptedThisMonth: 1_002 },
    "accepted this month: 1,002 is at least the account's cap for the month 1,000",
  ],
  accepted: [{}, {}, {}, ''],
  'unsatisfied-ccjs': [
    screening({ unsatisfiedCcjCount: 2 }),
    {},
    {},
    'credit_screening.unsatisfied_ccj_count 2 is above 0',
  ],
  'adverse-credit-current': [
    screening({ declared: { adverseCredit: AdverseCredit.CURRENT } as never }),
    {},
    {},
    'credit_screening.declared.adverse_credit is current',
  ],
  'repayments-overdue': [
    screening({ declared: { overdueFinanceRepayments: true } as never }),
    {},
    {},
    'credit_screening.declared.overdue_finance_repayments is true',
  ],
  'tax-arrears-without-plan': [
    screening({ declared: { hmrcArrears: 3 } as never }),
    {},
    {},
    'credit_screening.declared.hmrc_arrears is without_payment_plan',
  ],
};

const shippedRules = ALL_KINDS.flatMap((kind) =>
  POLICY_KINDS[kind]
    .statedRules(releaseTexts()[kind])
    .map(({ rule, condition }) => [rule, condition] as const),
);

describe('whyItHolds', () => {
  it.each(shippedRules)('explains the shipped rule %s', (rule, condition) => {
    const [enquiry, terms, facts, sentence] = SHIPPED[rule] ?? [];
    expect([rule, why(condition, enquiry ?? {}, terms, facts)]).toEqual([rule, sentence]);
  });

  it.each([
    [
      'enquiry.funding_amount >= 25000 && enquiry.funding_amount <= 30000',
      'funding_amount 25,000 is at least 25,000 and funding_amount 25,000 is at most 30,000',
    ],
    ['!(enquiry.funding_amount < 20000)', 'funding_amount 25,000 is at least 20,000'],
    ['enquiry.funding_amount != 1', 'funding_amount 25,000 is not 1'],
    ['!(enquiry.funding_amount != 25000)', 'funding_amount is 25,000'],
    ['enquiry.funding_amount > 3', 'funding_amount 25,000 is above 3'],
    ['!(enquiry.funding_amount > 30000)', 'funding_amount 25,000 is at most 30,000'],
    ['!(enquiry.funding_amount <= 3)', 'funding_amount 25,000 is above 3'],
    ['!(enquiry.funding_amount >= 30000)', 'funding_amount 25,000 is below 30,000'],
    ['!(enquiry.business_sector in [2])', 'business_sector construction is not one of transport'],
    ['enquiry.attribution.source == "test"', 'attribution.source is "test"'],
    ['enquiry.attribution.source != "other"', 'attribution.source is not "other"'],
    ['enquiry.marketing == false', 'marketing is false'],
    ['!(enquiry.marketing == true)', 'marketing false is not true'],
    ['terms.thresholds.minimum_funding_amount == 7', "the account's minimum is 7"],
    ['1.5 < 2.5', '1.5 is below 2.5'],
    ['enquiry.funding_amount > 3 || enquiry.funding_amount > 4', 'funding_amount 25,000 is above 3'],
    ['enquiry.funding_amount > 1.5 || enquiry.marketing', 'funding_amount 25,000 is above 1.5'],
    [
      '1 / (enquiry.funding_amount - 25000) == 1 || enquiry.funding_amount > 3',
      'funding_amount 25,000 is above 3',
    ],
    ['size([1]) == 1', 'the condition size([1]) == 1 holds'],
    [
      'enquiry.capture_timestamp > timestamp("2020-01-01T00:00:00Z")',
      'the condition enquiry.capture_timestamp > timestamp("2020-01-01T00:00:00Z") holds, with capture_timestamp',
    ],
    [
      'enquiry.marketing ? false : enquiry.funding_amount > 1',
      'the condition enquiry.marketing ? false : enquiry.funding_amount > 1 holds, with marketing false, funding_amount 25,000',
    ],
    [
      'size(enquiry.contact_expectation.channels) == 1',
      'the condition size(enquiry.contact_expectation.channels) == 1 holds, with contact_expectation.channels phone',
    ],
    ['enquiry.funding_amount == 1 || enquiry.funding_amount == 25000', 'funding_amount is 25,000'],
    [
      '!(enquiry.funding_amount == 1 || enquiry.trading_duration == 5)',
      'funding_amount 25,000 is not 1 and trading_duration 1-2-years is not 5',
    ],
    ['enquiry.business_sector in [1, 2]', 'business_sector construction is one of 1, 2'],
    [
      'enquiry.trading_duration == TradingDuration.TRADING_DURATION_1_2_YEARS',
      'trading_duration is 1-2-years',
    ],
    ['!enquiry.marketing', 'marketing is false'],
    ['true', ''],
    ['has(enquiry.funding_amount)', ''],
    [
      'enquiry.funding_amount * 2 > 3',
      'the condition enquiry.funding_amount * 2 > 3 holds, with funding_amount 25,000',
    ],
    [
      'terms.thresholds.excluded_sectors.exists(s, s == enquiry.business_sector)',
      "the condition terms.thresholds.excluded_sectors.exists(s, s == enquiry.business_sector) holds, with the account's excluded sectors construction, business_sector construction",
    ],
  ])('explains the condition %s', (when, sentence) => {
    expect(why(when, {}, { thresholds: { excludedSectors: [1], minimumFundingAmount: 7 } })).toBe(sentence);
  });

  it('never repeats a text of the supplier', () => {
    const attribution = { source: 'Ada Sample 07700 900123', campaign: 'ada@example.test' };
    for (const when of [
      'enquiry.attribution.source != "partner"',
      'enquiry.attribution.campaign != "x" && enquiry.funding_amount * 1 > 0',
      'enquiry.attribution.source != enquiry.attribution.campaign'.replace(
        'enquiry.attribution.campaign',
        '"y"',
      ),
    ]) {
      const sentence = why(when, { attribution: attribution as never });
      expect(sentence).toContain('attribution.');
      expect(sentence).not.toMatch(/Ada|07700|example/);
    }
  });

  it('returns nothing for a rule that does not hold for the known facts', () => {
    expect(why('facts.accepted_today >= 3', {})).toBe('');
    expect(why('enquiry.funding_amount > 30000', {})).toBe('');
  });
});

it('every shipped rule has a sample, and each sample a rule', () => {
  expect(Object.keys(SHIPPED).sort()).toEqual([...new Set(shippedRules.map(([rule]) => rule))].sort());
});
