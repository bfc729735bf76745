import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';

export type EnquiryInit = Exclude<MessageInitShape<typeof EnquirySchema>, Enquiry>;

const TIME = timestampFromDate(new Date('2026-11-19T09:30:00Z'));
let customers = 0;
// Beyond what is one digit over and over, or another test's own.
let companies = 123_456;

/** A company number as the register has them, which no other company of the run has. */
export function newCompanyNumber(): string {
  companies += 1;
  return `SC${String(companies)}`;
}

/** A whole enquiry of a customer that no other has: email and telephone are counted up. */
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
