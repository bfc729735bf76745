import { toJson } from '@bufbuild/protobuf';
import { CreateSubmissionRequestSchema } from '@supplier/proto/submission/v1/submission';
import { fullBody, sampleBody } from '../../testing/sample-body.ts';
import { toCreateSubmissionRequest } from './mapping.ts';

const fingerprintOf = (body: object) =>
  Buffer.from(toCreateSubmissionRequest({ ...sampleBody(), ...body }).bodyFingerprint).toString('hex');

describe('toCreateSubmissionRequest', () => {
  it('carries every field of a full body', () => {
    const { bodyFingerprint, ...rest } = toJson(
      CreateSubmissionRequestSchema,
      toCreateSubmissionRequest(fullBody()),
    ) as Record<string, unknown>;
    expect(Buffer.from(String(bodyFingerprint), 'base64')).toHaveLength(32);
    expect(rest).toEqual({
      externalReference: 'ref-1',
      level: 'LEVEL_APPLICATION',
      enquiry: {
        firstName: 'Ada',
        lastName: 'Byron',
        email: 'ada@example.test',
        telephone: '+44 20 7946 0000',
        businessName: 'Analytical Engines Ltd',
        businessStructure: 'BUSINESS_STRUCTURE_LIMITED_COMPANY',
        businessSector: 'BUSINESS_SECTOR_TECHNOLOGY_MEDIA',
        tradingDuration: 'TRADING_DURATION_2_5_YEARS',
        annualTurnoverGbp: 480_000,
        annualTurnoverRange: 'ANNUAL_TURNOVER_RANGE_250K_500K',
        dateOfBirth: '1985-12-10',
        homeAddress: {
          addressLine1: '12 St James Square',
          addressLine2: 'Flat 3',
          city: 'London',
          postcode: 'SW1Y 4LB',
          country: 'United Kingdom',
        },
        residenceSince: '2019-04',
        fundingAmount: 25_000,
        fundingPurpose: 'FUNDING_PURPOSE_EQUIPMENT',
        fundingPurposeDetail: 'A second engine',
        fundingTimeframe: 'FUNDING_TIMEFRAME_WITHIN_3_MONTHS',
        preferredContactMethod: 'PREFERRED_CONTACT_METHOD_EITHER',
        companyNumber: '01234567',
        privacyInformation: { provided: true, wordingVersion: 'p-1', capturedAt: '2026-11-20T09:00:00Z' },
        contactExpectation: {
          permissionStated: true,
          channels: ['CONTACT_CHANNEL_PHONE', 'CONTACT_CHANNEL_EMAIL'],
          wordingVersion: 'c-1',
          capturedAt: '2026-11-20T09:00:00.123456789Z',
        },
        marketing: false,
        creditScreening: {
          provider: 'screening_provider',
          checkedAt: '2026-11-20T08:59:00Z',
          companyStatus: 'SCREENING_RESULT_PASS',
          unsatisfiedCcjs: 'SCREENING_RESULT_NOT_CHECKED',
          insolvencyOrWindingUp: 'SCREENING_RESULT_FAIL',
          unsatisfiedCcjCount: 0,
          declared: {
            adverseCredit: 'ADVERSE_CREDIT_PREVIOUSLY_RESOLVED',
            overdueFinanceRepayments: false,
            existingFinance: true,
            existingFinanceMonthlyRepaymentGbp: 850,
            hmrcArrears: 'HMRC_ARREARS_WITH_PAYMENT_PLAN',
            personalGuarantee: 'PERSONAL_GUARANTEE_DEPENDS_ON_OFFER',
          },
        },
        captureTimestamp: '2026-11-20T09:00:01.500Z',
        attribution: { source: 'comparison-site', campaign: 'autumn', leadCategory: 'warm' },
        statedCollectionBasis: { statedBasis: 'legitimate interest', wordingVersion: 'b-1' },
      },
    });
  });

  it('leaves absent what was not sent', () => {
    const { enquiry } = toCreateSubmissionRequest(sampleBody());
    expect(enquiry).not.toHaveProperty('annualTurnoverGbp');
    expect(enquiry).not.toHaveProperty('homeAddress');
    expect(enquiry?.creditScreening).toBeUndefined();
    expect(enquiry?.companyNumber).toBeUndefined();
  });

  it('prints equal bodies alike, whatever their key order and spelling', () => {
    const reversed = Object.fromEntries(Object.entries(sampleBody()).reverse());
    const print = fingerprintOf({});
    expect(fingerprintOf(reversed)).toBe(print);
    expect(fingerprintOf(JSON.parse('{"funding_amount":25000.0}'))).toBe(print);
    expect(fingerprintOf(JSON.parse('{"first_name":"\\u0041da"}'))).toBe(print);
  });

  it('prints different bodies differently', () => {
    const prints = [
      {},
      { first_name: 'ada' },
      { marketing: true },
      { company_number: '1' },
      { attribution: { source: 'other' } },
    ].map(fingerprintOf);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('prints the SHA-256 of the canonical form of RFC 8785', () => {
    // Computed once from the sample body with Python's json and hashlib.
    expect(fingerprintOf({})).toBe('f9eaa1f367d3b3e09354653ea893cd73dcc5a5a794f55c544b92f778804dcd9a');
  });
});
