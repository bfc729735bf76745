import type { Enquiry } from '@supplier/proto/common/v1/enquiry';

/** What an enquiry at application level must say, by the names of the contract. */
const APPLICATION_FIELDS: readonly [name: string, present: (enquiry: Enquiry) => boolean][] = [
  ['first_name', (e) => e.firstName !== undefined],
  ['last_name', (e) => e.lastName !== undefined],
  ['email', (e) => e.email !== undefined],
  ['telephone', (e) => e.telephone !== undefined],
  ['business_name', (e) => e.businessName !== undefined],
  ['business_structure', (e) => e.businessStructure !== 0],
  ['business_sector', (e) => e.businessSector !== 0],
  ['trading_duration', (e) => e.tradingDuration !== 0],
  ['funding_amount', (e) => e.fundingAmount !== undefined],
  ['funding_purpose', (e) => e.fundingPurpose !== 0],
  ['funding_timeframe', (e) => e.fundingTimeframe !== 0],
  ['preferred_contact_method', (e) => e.preferredContactMethod !== 0],
  ['privacy_information', (e) => e.privacyInformation !== undefined],
  ['contact_expectation', (e) => e.contactExpectation !== undefined],
  ['marketing', (e) => e.marketing !== undefined],
  ['capture_timestamp', (e) => e.captureTimestamp !== undefined],
  ['attribution', (e) => e.attribution !== undefined],
];

/** The fields that an application-level enquiry lacks. Implements docs/contract.md, section 2. */
export function missingApplicationFields(enquiry: Enquiry): string[] {
  return APPLICATION_FIELDS.filter(([, present]) => !present(enquiry)).map(([name]) => name);
}
