import { isFieldSet } from '@bufbuild/protobuf';
import {
  ContactChannel,
  type Enquiry,
  EnquirySchema,
  PreferredContactMethod,
} from '@supplier/proto/common/v1/enquiry';

type Field = keyof typeof EnquirySchema.field;

const CUSTOMER = ['firstName', 'lastName', 'email', 'telephone', 'businessName'] as const;
const BUSINESS = ['businessStructure', 'businessSector', 'tradingDuration'] as const;
const FUNDING = ['fundingPurpose', 'fundingTimeframe', 'preferredContactMethod'] as const;
const CAPTURE = ['contactExpectation', 'captureTimestamp', 'attribution'] as const;
const CONSENTED = [
  'privacyInformation',
  'contactExpectation',
  'marketing',
  'captureTimestamp',
  'attribution',
] as const;
const REQUIRED = {
  basic: [...CUSTOMER, 'fundingAmount', ...CAPTURE],
  promotion: [...CUSTOMER, 'fundingAmount', ...CONSENTED],
  application: [...CUSTOMER, ...BUSINESS, 'fundingAmount', ...FUNDING, ...CONSENTED],
} satisfies Record<string, readonly Field[]>;

export type EnquiryPurpose = keyof typeof REQUIRED;

/** Returns the fields missing for a purpose, by their names in the contract. Implements docs/contract.md, section 2. */
export function missingFields(purpose: EnquiryPurpose, enquiry: Enquiry): string[] {
  const fields: readonly Field[] = REQUIRED[purpose];
  const isOptional = (field: Field) => field === 'email' && purpose === 'basic' && !isReachedByEmail(enquiry);
  return fields
    .filter((field) => !isFieldSet(enquiry, EnquirySchema.field[field]) && !isOptional(field))
    .map((field) => EnquirySchema.field[field].name);
}

/** A basic submission needs an email address only if the customer may be contacted by email. */
function isReachedByEmail({ preferredContactMethod, contactExpectation }: Enquiry): boolean {
  return (
    preferredContactMethod === PreferredContactMethod.EMAIL ||
    (contactExpectation?.channels.includes(ContactChannel.EMAIL) ?? false)
  );
}
