import { ContactChannel, type Enquiry, PreferredContactMethod } from '@supplier/proto/common/v1/enquiry';

/** A field with its contract name, a check for its presence and, if it is not always required, a condition. */
interface RequiredField {
  readonly name: string;
  readonly present: (enquiry: Enquiry) => boolean;
  readonly when?: (enquiry: Enquiry) => boolean;
}

const FIRST_NAME: RequiredField = { name: 'first_name', present: (e) => e.firstName !== undefined };
const LAST_NAME: RequiredField = { name: 'last_name', present: (e) => e.lastName !== undefined };
const EMAIL: RequiredField = { name: 'email', present: (e) => e.email !== undefined };
const TELEPHONE: RequiredField = { name: 'telephone', present: (e) => e.telephone !== undefined };
const BUSINESS_NAME: RequiredField = { name: 'business_name', present: (e) => e.businessName !== undefined };
const FUNDING_AMOUNT: RequiredField = {
  name: 'funding_amount',
  present: (e) => e.fundingAmount !== undefined,
};
const PRIVACY_INFORMATION: RequiredField = {
  name: 'privacy_information',
  present: (e) => e.privacyInformation !== undefined,
};
const CONTACT_EXPECTATION: RequiredField = {
  name: 'contact_expectation',
  present: (e) => e.contactExpectation !== undefined,
};
const MARKETING: RequiredField = { name: 'marketing', present: (e) => e.marketing !== undefined };
const CAPTURE_TIMESTAMP: RequiredField = {
  name: 'capture_timestamp',
  present: (e) => e.captureTimestamp !== undefined,
};
const ATTRIBUTION: RequiredField = { name: 'attribution', present: (e) => e.attribution !== undefined };

/** An email is required if the customer may be contacted by email. */
const reachedByEmail = (e: Enquiry) =>
  e.preferredContactMethod === PreferredContactMethod.EMAIL ||
  (e.contactExpectation?.channels.includes(ContactChannel.EMAIL) ?? false);

const REQUIRED = {
  basic: [
    FIRST_NAME,
    LAST_NAME,
    { ...EMAIL, when: reachedByEmail },
    TELEPHONE,
    BUSINESS_NAME,
    FUNDING_AMOUNT,
    CONTACT_EXPECTATION,
    CAPTURE_TIMESTAMP,
    ATTRIBUTION,
  ],
  promotion: [
    FIRST_NAME,
    LAST_NAME,
    EMAIL,
    TELEPHONE,
    BUSINESS_NAME,
    FUNDING_AMOUNT,
    PRIVACY_INFORMATION,
    CONTACT_EXPECTATION,
    MARKETING,
    CAPTURE_TIMESTAMP,
    ATTRIBUTION,
  ],
  application: [
    FIRST_NAME,
    LAST_NAME,
    EMAIL,
    TELEPHONE,
    BUSINESS_NAME,
    { name: 'business_structure', present: (e) => e.businessStructure !== 0 },
    { name: 'business_sector', present: (e) => e.businessSector !== 0 },
    { name: 'trading_duration', present: (e) => e.tradingDuration !== 0 },
    FUNDING_AMOUNT,
    { name: 'funding_purpose', present: (e) => e.fundingPurpose !== 0 },
    { name: 'funding_timeframe', present: (e) => e.fundingTimeframe !== 0 },
    { name: 'preferred_contact_method', present: (e) => e.preferredContactMethod !== 0 },
    PRIVACY_INFORMATION,
    CONTACT_EXPECTATION,
    MARKETING,
    CAPTURE_TIMESTAMP,
    ATTRIBUTION,
  ],
} satisfies Record<string, readonly RequiredField[]>;

/** The purpose of an enquiry, which determines the required fields. */
export type EnquiryPurpose = keyof typeof REQUIRED;

/** Returns the fields missing for a purpose, by their names in the contract. Implements docs/contract.md, section 2. */
export function missingFields(purpose: EnquiryPurpose, enquiry: Enquiry): string[] {
  const fields: readonly RequiredField[] = REQUIRED[purpose];
  return fields
    .filter(({ present, when }) => !present(enquiry) && (when?.(enquiry) ?? true))
    .map(({ name }) => name);
}
