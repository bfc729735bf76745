import Type, { type Static } from 'typebox';
import { enquiryFields } from '../../enquiry/fields.ts';
import { closed, operationIdempotencyKey } from '../../validation/field-types.ts';

const { Optional } = Type;

/** Returns the schema of a promotion's body. Implements docs/contract.md, section 2. */
export function promoteSubmissionSchema(screeningProvider: string) {
  const field = enquiryFields(screeningProvider);
  return closed({
    operation_idempotency_key: operationIdempotencyKey(),
    first_name: field.first_name,
    last_name: field.last_name,
    email: field.email,
    telephone: field.telephone,
    business_name: field.business_name,
    funding_amount: field.funding_amount,
    privacy_information: field.privacy_information,
    contact_expectation: field.contact_expectation,
    marketing: field.marketing,
    capture_timestamp: field.capture_timestamp,
    attribution: field.attribution,
    business_structure: Optional(field.business_structure),
    business_sector: Optional(field.business_sector),
    trading_duration: Optional(field.trading_duration),
    funding_purpose: Optional(field.funding_purpose),
    funding_timeframe: Optional(field.funding_timeframe),
    preferred_contact_method: Optional(field.preferred_contact_method),
    annual_turnover_gbp: Optional(field.annual_turnover_gbp),
    annual_turnover_range: Optional(field.annual_turnover_range),
    date_of_birth: Optional(field.date_of_birth),
    home_address: Optional(field.home_address),
    residence_since: Optional(field.residence_since),
    funding_purpose_detail: Optional(field.funding_purpose_detail),
    company_number: Optional(field.company_number),
    credit_screening: Optional(field.credit_screening),
    stated_collection_basis: Optional(field.stated_collection_basis),
  });
}

export type PromoteSubmissionBody = Static<ReturnType<typeof promoteSubmissionSchema>>;
