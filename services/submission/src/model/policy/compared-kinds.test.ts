import { FactKind } from '@supplier/proto/submission/v1/timeline';
import { releaseTexts } from '../../../testing/release-policies.ts';
import { comparedKinds } from './compared-kinds.ts';
import { DECISION_FORM } from './decision-policy.ts';
import { ALL_KINDS, POLICY_KINDS } from './policy-kinds.ts';

const kinds = (condition: string) => comparedKinds(condition, DECISION_FORM).map((kind) => FactKind[kind]);

const SHIPPED: Record<string, string[]> = {
  duplicate: ['EARLIER_SUBMISSIONS'],
  'company-status-failed': ['CREDIT_SCREENING'],
  'insolvency-failed': ['CREDIT_SCREENING'],
  'amount-too-small': ['FUNDING_AMOUNT'],
  'amount-too-large': ['FUNDING_AMOUNT'],
  'sector-excluded': ['BUSINESS_SECTOR'],
  'turnover-too-small': ['TURNOVER'],
  'trading-too-short': ['TRADING_DURATION'],
  'day-cap-reached': ['ACCEPTED_COUNT'],
  'month-cap-reached': ['ACCEPTED_COUNT'],
  accepted: [],
  'unsatisfied-ccjs': ['COURT_JUDGMENTS'],
  'adverse-credit-current': ['DECLARED_FINANCES'],
  'repayments-overdue': ['DECLARED_FINANCES'],
  'tax-arrears-without-plan': ['DECLARED_FINANCES'],
};

describe('the kinds of facts that a condition compares', () => {
  it('are known for every shipped rule', () => {
    const found = ALL_KINDS.flatMap((kind) =>
      POLICY_KINDS[kind]
        .statedRules(releaseTexts()[kind])
        .map(({ rule, condition }) => [rule, kinds(condition)] as const),
    );
    expect(Object.fromEntries(found)).toEqual(SHIPPED);
  });

  it.each([
    ['enquiry.annual_turnover_gbp > 3 && enquiry.funding_amount > 3', ['TURNOVER', 'FUNDING_AMOUNT']],
    ['enquiry.funding_amount > 3 || enquiry.funding_amount < 1', ['FUNDING_AMOUNT']],
    ['has(enquiry.credit_screening.declared)', ['DECLARED_FINANCES']],
    [
      'has(enquiry.credit_screening)',
      ['SUPPLIER_LABEL', 'CREDIT_SCREENING', 'COURT_JUDGMENTS', 'DECLARED_FINANCES'],
    ],
    ['enquiry.attribution.source == "web"', ['SUPPLIER_LABEL']],
    ['terms.caps.accepted_per_day == 1', []],
    ['true', []],
    ['enquiry.capture_timestamp.getHours() == 3', ['CAPTURE_TIME']],
    [
      '(facts.duplicate ? enquiry.attribution : enquiry.attribution).source == "web"',
      ['EARLIER_SUBMISSIONS', 'SUPPLIER_LABEL'],
    ],
    ['enquiry.business_sector in [1, enquiry.business_structure]', ['BUSINESS_SECTOR', 'BUSINESS_STRUCTURE']],
    [
      'enquiry.marketing ? facts.duplicate : facts.turnover_at_most == 1',
      ['CONSENT', 'EARLIER_SUBMISSIONS', 'TURNOVER'],
    ],
    [
      'enquiry.contact_expectation.channels.exists(c, c == enquiry.preferred_contact_method)',
      ['CONSENT', 'CONTACT'],
    ],
  ])('of %s', (condition, expected) => {
    expect(kinds(condition)).toEqual(expected);
  });
});
