import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';

export type EnquiryInit = Exclude<MessageInitShape<typeof EnquirySchema>, Enquiry>;

const TIME = timestampFromDate(new Date('2026-11-19T09:30:00Z'));
let customers = 0;
// Starts above numbers that are one repeated digit or used by other tests.
let companies = 123_456;

/** Returns a valid company number that is unique in the test run. */
export function newCompanyNumber(): string {
  companies += 1;
  return `SC${String(companies)}`;
}

/** Returns a complete enquiry from a new customer, with a unique email and telephone. */
export function sampleEnquiry(overrides: EnquiryInit = {}): Enquiry {
  customers += 1;
  return create(EnquirySchema, {
    firstName: 'Ada',
    lastName: 'Sample',
    email: `customer-${customers}@example.test`,
    telephone: `07700 9${String(customers).padStart(5, '0')}`,
    businessName: 'Sample Trading Ltd',
    businessStructure: 1,
    businessSector: 1,
    tradingDuration: 2,
    fundingAmount: 25_000,
    fundingPurpose: 1,
    fundingTimeframe: 1,
    preferredContactMethod: 1,
    privacyInformation: { provided: true, wordingVersion: 'v1', capturedAt: TIME },
    contactExpectation: { permissionStated: true, channels: [1], wordingVersion: 'v1', capturedAt: TIME },
    marketing: false,
    captureTimestamp: TIME,
    attribution: { source: 'test' },
    ...overrides,
  });
}
