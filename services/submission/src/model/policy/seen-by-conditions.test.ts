import { create } from '@bufbuild/protobuf';
import { ContactChannel, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { sampleEnquiry } from '../../../testing/sample-enquiry.ts';
import { compileCondition } from './policy-condition.ts';
import { seenOfEnquiry, seenOfTerms } from './seen-by-conditions.ts';

const faults = (when: string) => {
  const compiled = compileCondition(when, { duplicate: false });
  return 'faults' in compiled ? compiled.faults : [];
};

/** Everything that conditions may use, by path. */
const SEEN = {
  enquiry: [
    ...['business_structure', 'business_sector', 'trading_duration', 'annual_turnover_gbp'],
    ...['annual_turnover_range', 'funding_amount', 'funding_purpose', 'funding_timeframe'],
    ...['preferred_contact_method', 'marketing', 'capture_timestamp'],
    ...['provided', 'captured_at'].map((name) => `privacy_information.${name}`),
    ...['permission_stated', 'channels', 'captured_at'].map((name) => `contact_expectation.${name}`),
    ...['checked_at', 'company_status', 'unsatisfied_ccjs', 'insolvency_or_winding_up'].map(
      (name) => `credit_screening.${name}`,
    ),
    ...['unsatisfied_ccj_count', 'declared.adverse_credit', 'declared.overdue_finance_repayments'].map(
      (name) => `credit_screening.${name}`,
    ),
    ...[
      'existing_finance',
      'existing_finance_monthly_repayment_gbp',
      'hmrc_arrears',
      'personal_guarantee',
    ].map((name) => `credit_screening.declared.${name}`),
  ],
  terms: [
    ...['billing_model', 'decision_mode', 'application_minting', 'pre_underwriting_failure'],
    ...['minimum_funding_amount', 'maximum_funding_amount', 'excluded_sectors'].map(
      (name) => `thresholds.${name}`,
    ),
    ...['minimum_annual_turnover_gbp', 'minimum_trading_duration'].map((name) => `thresholds.${name}`),
    ...['accepted_per_day', 'accepted_per_month'].map((name) => `caps.${name}`),
    ...['arrival_screen', 'document_first'].map((name) => `enrolments.${name}`),
  ],
};
const PATHS = Object.entries(SEEN).flatMap(([root, names]) => names.map((name) => `${root}.${name}`));
const LABELS = [
  ...['privacy_information.wording_version', 'contact_expectation.wording_version'],
  ...['credit_screening.provider', 'stated_collection_basis.wording_version'],
  ...['attribution.source', 'attribution.campaign', 'attribution.lead_category'],
];

describe('the input of conditions', () => {
  it.each(PATHS)('includes %s', (path) => {
    expect(faults(`has(${path})`)).toEqual([]);
  });

  it.each(LABELS)('includes the label enquiry.%s, only to compare with a constant', (path) => {
    expect(faults(`enquiry.${path} == "a"`)).toEqual([]);
    expect(faults(`enquiry.${path} < "a"`)).toHaveLength(1);
  });

  it('includes the enquiry without free text and identifying fields', () => {
    const seen = {
      fundingAmount: 25_000,
      businessSector: 2,
      marketing: false,
      privacyInformation: { provided: true, wordingVersion: 'v1' },
      contactExpectation: { permissionStated: true, channels: [1], wordingVersion: 'v2' },
      creditScreening: { provider: 'p', unsatisfiedCcjCount: 2, declared: { adverseCredit: 1 } },
      attribution: { source: 'web', campaign: 'spring', leadCategory: 'a' },
    };
    const enquiry = create(EnquirySchema, {
      ...seen,
      firstName: 'Ada',
      notes: 'a note',
      statedCollectionBasis: { statedBasis: 'a basis', wordingVersion: 'v3' },
    });
    expect(seenOfEnquiry(enquiry)).toEqual(
      create(EnquirySchema, { ...seen, statedCollectionBasis: { wordingVersion: 'v3' } }),
    );
  });

  it('includes all of the terms', () => {
    const terms = create(TermsSchema, {
      billingModel: 1,
      thresholds: { minimumFundingAmount: 1, excludedSectors: [1, 2] },
      caps: { acceptedPerDay: 3 },
      enrolments: { documentFirst: true },
    });
    expect(seenOfTerms(terms)).toEqual(terms);
  });

  it('includes each known value of a list once, in the order of the contract', () => {
    const { EMAIL, PHONE } = ContactChannel;
    const channelsSeen = (channels: number[]) =>
      seenOfEnquiry(sampleEnquiry({ contactExpectation: { channels, permissionStated: true } }))
        .contactExpectation?.channels;
    expect(channelsSeen([EMAIL, PHONE, 99, EMAIL])).toEqual([PHONE, EMAIL]);
    expect(channelsSeen([])).toEqual([]);
  });
});
