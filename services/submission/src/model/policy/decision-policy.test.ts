import { readFileSync } from 'node:fs';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  AnnualTurnoverRange,
  BusinessSector,
  ScreeningResult,
  TradingDuration,
} from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { type EnquiryInit, sampleEnquiry } from '../../../testing/sample-enquiry.ts';
import { compileDecisionPolicy, type DecisionFacts } from './decision-policy.ts';

const text = readFileSync(new URL('../../../policy/decision.json', import.meta.url), 'utf8');
const policy = compileDecisionPolicy(text);

type Terms = MessageInitShape<typeof TermsSchema>;
const decide = (enquiry: EnquiryInit, terms: Terms = {}, facts: Partial<DecisionFacts> = {}) =>
  policy.decide(sampleEnquiry(enquiry), create(TermsSchema, terms), {
    duplicate: false,
    contactChecks: 0,
    acceptedToday: 0,
    acceptedThisMonth: 0,
    ...facts,
  });
const screening = (over: EnquiryInit['creditScreening']) => ({
  creditScreening: {
    provider: 'p',
    companyStatus: ScreeningResult.PASS,
    unsatisfiedCcjs: ScreeningResult.PASS,
    insolvencyOrWindingUp: ScreeningResult.PASS,
    ...over,
  },
});

describe('the decision policy', () => {
  it('accepts an enquiry that no rule rejects, and reports its version', () => {
    expect(decide({})).toMatchObject({
      status: Status.ACCEPTED,
      rule: 'accepted',
      policyVersion: '2026-11-20',
    });
    expect(decide(screening({})).status).toBe(Status.ACCEPTED);
    expect(decide(screening({ companyStatus: ScreeningResult.NOT_CHECKED })).status).toBe(Status.ACCEPTED);
    expect(decide(screening({ unsatisfiedCcjs: ScreeningResult.FAIL })).status).toBe(Status.ACCEPTED);
  });

  it.each<[string, EnquiryInit, Terms, Partial<DecisionFacts>]>([
    ['company-status-failed', screening({ companyStatus: ScreeningResult.FAIL }), {}, {}],
    ['insolvency-failed', screening({ insolvencyOrWindingUp: ScreeningResult.FAIL }), {}, {}],
    ['amount-too-small', { fundingAmount: 4_999 }, { thresholds: { minimumFundingAmount: 5_000 } }, {}],
    ['amount-too-large', { fundingAmount: 5_001 }, { thresholds: { maximumFundingAmount: 5_000 } }, {}],
    [
      'sector-excluded',
      { businessSector: 3 },
      { thresholds: { excludedSectors: [BusinessSector.MANUFACTURING] } },
      {},
    ],
    ['turnover-too-small', { annualTurnoverGbp: 99 }, { thresholds: { minimumAnnualTurnoverGbp: 100 } }, {}],
    [
      'turnover-too-small',
      { annualTurnoverRange: AnnualTurnoverRange.ANNUAL_TURNOVER_RANGE_UNDER_100K },
      { thresholds: { minimumAnnualTurnoverGbp: 100_000 } },
      {},
    ],
    [
      'trading-too-short',
      { tradingDuration: 1 },
      { thresholds: { minimumTradingDuration: TradingDuration.TRADING_DURATION_1_2_YEARS } },
      {},
    ],
    ['day-cap-reached', {}, { caps: { acceptedPerDay: 3 } }, { acceptedToday: 3 }],
    ['day-cap-reached', {}, { caps: { acceptedPerDay: 0 } }, {}],
    ['month-cap-reached', {}, { caps: { acceptedPerMonth: 3 } }, { acceptedThisMonth: 4 }],
  ])('rejects by %s', (rule, enquiry, terms, facts) => {
    expect(decide(enquiry, terms, facts)).toMatchObject({ status: Status.REJECTED, rule });
  });

  it.each<[EnquiryInit, Terms, Partial<DecisionFacts>]>([
    [
      { fundingAmount: 5_000 },
      { thresholds: { minimumFundingAmount: 5_000, maximumFundingAmount: 5_000 } },
      {},
    ],
    [{}, { thresholds: { minimumAnnualTurnoverGbp: 1_000_000 } }, {}],
    [{ annualTurnoverRange: 1 }, { thresholds: { minimumAnnualTurnoverGbp: 99_999 } }, {}],
    [{ tradingDuration: 2 }, { thresholds: { minimumTradingDuration: 2 } }, {}],
    [{}, { caps: { acceptedPerDay: 3, acceptedPerMonth: 10 } }, { acceptedToday: 2, acceptedThisMonth: 9 }],
  ])('accepts at the exact limit: %j under %j', (enquiry, terms, facts) => {
    expect(decide(enquiry, terms, facts).status).toBe(Status.ACCEPTED);
  });

  it('checks for a duplicate first, and for hard rejects before thresholds', () => {
    const failing = screening({ companyStatus: ScreeningResult.FAIL });
    const strict = { thresholds: { minimumFundingAmount: 9_000_000 }, caps: { acceptedPerDay: 0 } };
    expect(decide(failing, strict, { duplicate: true }).status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    expect(decide(failing, strict).rule).toBe('company-status-failed');
    expect(decide({}, strict).rule).toBe('amount-too-small');
  });
});
