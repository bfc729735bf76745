import { hash } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { parseTimestamp } from '@supplier/lib/text/time';
import {
  type Address,
  AdverseCreditSchema,
  AnnualTurnoverRangeSchema,
  type Attribution,
  BusinessSectorSchema,
  BusinessStructureSchema,
  ContactChannelSchema,
  type ContactExpectation,
  type CreditScreening,
  type Enquiry,
  FundingPurposeSchema,
  FundingTimeframeSchema,
  HmrcArrearsSchema,
  PersonalGuaranteeSchema,
  PreferredContactMethodSchema,
  type PrivacyInformation,
  ScreeningResultSchema,
  type StatedCollectionBasis,
  TradingDurationSchema,
} from '@supplier/proto/common/v1/enquiry';
import type { Level } from '@supplier/proto/common/v1/status';
import {
  type CreateSubmissionRequest,
  CreateSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/create_submission';
import canonicalize from 'canonicalize';
import { enumReader } from './enum-names.ts';
import type { EnquiryJson } from './fields.ts';

/** Converts a validated body of either create operation to its RPC request. */
export function toCreateRequest(
  level: Level.APPLICATION | Level.BASIC,
  body: EnquiryJson & { readonly external_reference: string },
): CreateSubmissionRequest {
  return create(CreateSubmissionRequestSchema, {
    externalReference: body.external_reference,
    level,
    enquiry: toEnquiry(body),
    bodyFingerprint: bodyFingerprint(body),
  });
}

/**
 * Requires every field of a message to be written out, even where its value is undefined: a field added to the proto
 * and forgotten here fails to compile instead of losing data silently.
 */
type Complete<M extends Message> = {
  [Name in keyof Required<Omit<M, keyof Message>>]: Name extends keyof M ? Value<M[Name]> : never;
};

type Value<Field> = Field extends Timestamp ? Timestamp : Field extends Message ? Complete<Field> : Field;

const read = {
  adverseCredit: enumReader(AdverseCreditSchema, '_'),
  channel: enumReader(ContactChannelSchema, '_'),
  contactMethod: enumReader(PreferredContactMethodSchema, '-'),
  hmrcArrears: enumReader(HmrcArrearsSchema, '_'),
  personalGuarantee: enumReader(PersonalGuaranteeSchema, '_'),
  purpose: enumReader(FundingPurposeSchema, '-'),
  screeningResult: enumReader(ScreeningResultSchema, '_'),
  sector: enumReader(BusinessSectorSchema, '-'),
  structure: enumReader(BusinessStructureSchema, '-'),
  timeframe: enumReader(FundingTimeframeSchema, '-'),
  tradingDuration: enumReader(TradingDurationSchema, '-'),
  turnoverRange: enumReader(AnnualTurnoverRangeSchema, '-'),
};

/** Returns the contact method of a validated public name; absent means UNSPECIFIED. */
export const readContactMethod = read.contactMethod;

/**
 * Converts validated public JSON of an enquiry to protobuf. Absent fields stay absent. The return type covers every
 * field of the message at every depth.
 */
export function toEnquiry(json: EnquiryJson): Complete<Enquiry> {
  return {
    firstName: json.first_name,
    lastName: json.last_name,
    email: json.email,
    telephone: json.telephone,
    businessName: json.business_name,
    businessStructure: read.structure(json.business_structure),
    businessSector: read.sector(json.business_sector),
    tradingDuration: read.tradingDuration(json.trading_duration),
    annualTurnoverGbp: json.annual_turnover_gbp,
    annualTurnoverRange: read.turnoverRange(json.annual_turnover_range),
    dateOfBirth: json.date_of_birth,
    homeAddress: toAddress(json.home_address),
    residenceSince: json.residence_since,
    fundingAmount: json.funding_amount,
    fundingPurpose: read.purpose(json.funding_purpose),
    fundingPurposeDetail: json.funding_purpose_detail,
    fundingTimeframe: read.timeframe(json.funding_timeframe),
    preferredContactMethod: read.contactMethod(json.preferred_contact_method),
    companyNumber: json.company_number,
    privacyInformation: toPrivacyInformation(json.privacy_information),
    contactExpectation: toContactExpectation(json.contact_expectation),
    marketing: json.marketing,
    creditScreening: toCreditScreening(json.credit_screening),
    captureTimestamp: json.capture_timestamp === undefined ? undefined : toTime(json.capture_timestamp),
    attribution: toAttribution(json.attribution),
    statedCollectionBasis: toCollectionBasis(json.stated_collection_basis),
    notes: json.notes,
  };
}

function toAddress(json: EnquiryJson['home_address']): Complete<Address> | undefined {
  return (
    json && {
      addressLine1: json.address_line_1,
      addressLine2: json.address_line_2,
      city: json.city,
      postcode: json.postcode,
      country: json.country,
    }
  );
}

function toPrivacyInformation(
  json: EnquiryJson['privacy_information'],
): Complete<PrivacyInformation> | undefined {
  return (
    json && {
      provided: json.provided,
      wordingVersion: json.wording_version,
      capturedAt: toTime(json.captured_at),
    }
  );
}

function toContactExpectation(
  json: EnquiryJson['contact_expectation'],
): Complete<ContactExpectation> | undefined {
  return (
    json && {
      permissionStated: json.permission_stated,
      channels: json.channels.map(read.channel),
      wordingVersion: json.wording_version,
      capturedAt: toTime(json.captured_at),
    }
  );
}

function toCreditScreening(json: EnquiryJson['credit_screening']): Complete<CreditScreening> | undefined {
  return (
    json && {
      provider: json.provider,
      checkedAt: toTime(json.checked_at),
      companyStatus: read.screeningResult(json.company_status),
      unsatisfiedCcjs: read.screeningResult(json.unsatisfied_ccjs),
      insolvencyOrWindingUp: read.screeningResult(json.insolvency_or_winding_up),
      unsatisfiedCcjCount: json.unsatisfied_ccj_count,
      declared: json.declared && {
        adverseCredit: read.adverseCredit(json.declared.adverse_credit),
        overdueFinanceRepayments: json.declared.overdue_finance_repayments,
        existingFinance: json.declared.existing_finance,
        existingFinanceMonthlyRepaymentGbp: json.declared.existing_finance_monthly_repayment_gbp,
        hmrcArrears: read.hmrcArrears(json.declared.hmrc_arrears),
        personalGuarantee: read.personalGuarantee(json.declared.personal_guarantee),
      },
    }
  );
}

function toAttribution(json: EnquiryJson['attribution']): Complete<Attribution> | undefined {
  return json && { source: json.source, campaign: json.campaign, leadCategory: json.lead_category };
}

function toCollectionBasis(
  json: EnquiryJson['stated_collection_basis'],
): Complete<StatedCollectionBasis> | undefined {
  return json && { statedBasis: json.stated_basis, wordingVersion: json.wording_version };
}

function toTime(text: string): Timestamp {
  const time = parseTimestamp(text);
  if (!time) throw new Error('invariant violated: a validated timestamp cannot be parsed');
  return time;
}

/**
 * Returns the SHA-256 of a body's canonical JSON (RFC 8785): equal for bodies that differ only in key order, white
 * space or the spelling of numbers. 32 bytes. Implements docs/contract.md, section 2.
 */
export function bodyFingerprint(body: object): Uint8Array {
  const canonical = canonicalize(body);
  if (canonical === undefined) throw new Error('invariant violated: no canonical form for a JSON object');
  return hash('sha256', canonical, 'buffer');
}
