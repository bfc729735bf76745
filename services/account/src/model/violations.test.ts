import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { BusinessSector } from '@supplier/proto/common/v1/enquiry';
import {
  ApplicationMinting,
  type CapsSchema,
  DecisionMode,
  type EnrolmentsSchema,
  PreUnderwritingFailure,
  TermsSchema,
  type ThresholdsSchema,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { credentialViolations, repeatViolations, termsViolations } from './violations.ts';

describe('repeatViolations', () => {
  it('returns nothing for a list without repeats', () => {
    expect(repeatViolations('scopes', [])).toEqual([]);
    expect(repeatViolations('scopes', ['a', 'b', 'c'])).toEqual([]);
  });

  it('names each later item that repeats an earlier one', () => {
    expect(repeatViolations('scopes', ['a', 'b', 'a', 'a'])).toEqual([
      { path: 'scopes.2', message: 'repeats an earlier item' },
      { path: 'scopes.3', message: 'repeats an earlier item' },
    ]);
  });
});

const now = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

describe('credentialViolations', () => {
  it.each([null, after(1)])("accepts scopes within the account's scopes, with expiry %s", (expiresAt) => {
    expect(credentialViolations({ scopes: ['read'], expiresAt }, ['read', 'correct'], now)).toEqual([]);
  });

  it.each([0, -1, -1_000])('rejects an expiry %s ms from now', (ms) => {
    expect(credentialViolations({ scopes: ['read'], expiresAt: after(ms) }, ['read'], now)).toEqual([
      { path: 'expires_at', message: 'must be in the future' },
    ]);
  });

  it('rejects each scope that the account does not have, together with an invalid expiry', () => {
    const requested = { scopes: ['promote', 'read', 'correct'], expiresAt: now };
    expect(credentialViolations(requested, ['read'], now)).toEqual([
      { path: 'scopes.0', message: 'is not permitted for the account' },
      { path: 'scopes.2', message: 'is not permitted for the account' },
      { path: 'expires_at', message: 'must be in the future' },
    ]);
  });
});

interface TermsInit {
  billingModel?: BillingModel;
  decisionMode?: DecisionMode;
  applicationMinting?: ApplicationMinting;
  preUnderwritingFailure?: PreUnderwritingFailure;
  thresholds?: MessageInitShape<typeof ThresholdsSchema>;
  caps?: MessageInitShape<typeof CapsSchema>;
  enrolments?: MessageInitShape<typeof EnrolmentsSchema>;
}

const good: TermsInit = {
  billingModel: BillingModel.ACCEPTED_SUBMISSION,
  decisionMode: DecisionMode.AUTOMATIC,
  applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
  preUnderwritingFailure: PreUnderwritingFailure.RETURN,
};

const pathsOf = (init: TermsInit) => termsViolations(create(TermsSchema, init)).map(({ path }) => path);

describe('termsViolations', () => {
  it.each<[string, TermsInit]>([
    ['only the required choices', {}],
    ['empty parts', { thresholds: {}, caps: {}, enrolments: {} }],
    ['a range of one amount', { thresholds: { minimumFundingAmount: 5_000, maximumFundingAmount: 5_000 } }],
    ['one end of a range', { thresholds: { maximumFundingAmount: 5_000 } }],
    ['a cap of zero, which pauses the account', { caps: { acceptedPerDay: 0, acceptedPerMonth: 0 } }],
    [
      'different sectors',
      { thresholds: { excludedSectors: [BusinessSector.OTHER, BusinessSector.TRANSPORT] } },
    ],
  ])('accepts %s', (_, more) => {
    expect(pathsOf({ ...good, ...more })).toEqual([]);
  });

  it.each<[string, TermsInit]>([
    ['terms.thresholds.minimum_funding_amount', { thresholds: { minimumFundingAmount: -1 } }],
    ['terms.thresholds.maximum_funding_amount', { thresholds: { maximumFundingAmount: -1 } }],
    ['terms.thresholds.minimum_annual_turnover_gbp', { thresholds: { minimumAnnualTurnoverGbp: -1 } }],
    ['terms.caps.accepted_per_day', { caps: { acceptedPerDay: -1 } }],
    ['terms.caps.accepted_per_month', { caps: { acceptedPerMonth: -1 } }],
    [
      'terms.thresholds.maximum_funding_amount',
      { thresholds: { minimumFundingAmount: 5_001, maximumFundingAmount: 5_000 } },
    ],
    [
      'terms.thresholds.excluded_sectors.2',
      {
        thresholds: {
          excludedSectors: [BusinessSector.OTHER, BusinessSector.TRANSPORT, BusinessSector.OTHER],
        },
      },
    ],
  ])('rejects %s', (path, fault) => {
    expect(pathsOf({ ...good, ...fault })).toEqual([path]);
  });

  it('reports every violation in one call', () => {
    const faulty = {
      thresholds: { minimumFundingAmount: 5_001, maximumFundingAmount: 5_000 },
      caps: { acceptedPerDay: -1, acceptedPerMonth: -2 },
    };
    expect(termsViolations(create(TermsSchema, faulty))).toEqual([
      { path: 'terms.caps.accepted_per_day', message: 'must not be negative' },
      { path: 'terms.caps.accepted_per_month', message: 'must not be negative' },
      {
        path: 'terms.thresholds.maximum_funding_amount',
        message: 'must not be below minimum_funding_amount',
      },
    ]);
  });
});
