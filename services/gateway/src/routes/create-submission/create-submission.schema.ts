import Type, { type Static } from 'typebox';
import { enquiryFields } from '../../enquiry/fields.ts';
import { closed, externalReference } from '../../validation/field-types.ts';

const { Literal, Optional } = Type;

/** Returns the schema of a create's body at application level. Implements docs/contract.md, section 2. */
export function createSubmissionSchema(screeningProvider: string) {
  const field = enquiryFields(screeningProvider);
  return closed({
    external_reference: externalReference(),
    level: Literal('application'),
    first_name: field.first_name,
    last_name: field.last_name,
    email: field.email,
    telephone: field.telephone,
    business_name: field.business_name,
    business_structure: field.business_structure,
    business_sector: field.business_sector,
    trading_duration: field.trading_duration,
    annual_turnover_gbp: Optional(field.annual_turnover_gbp),
    annual_turnover_range: Optional(field.annual_turnover_range),
    date_of_birth: Optional(field.date_of_birth),
    home_address: Optional(field.home_address),
    residence_since: Optional(field.residence_since),
    funding_amount: field.funding_amount,
    funding_purpose: field.funding_purpose,
    funding_purpose_detail: Optional(field.funding_purpose_detail),
    funding_timeframe: field.funding_timeframe,
    preferred_contact_method: field.preferred_contact_method,
    company_number: Optional(field.company_number),
    privacy_information: field.privacy_information,
    contact_expectation: field.contact_expectation,
    marketing: field.marketing,
    credit_screening: Optional(field.credit_screening),
    capture_timestamp: field.capture_timestamp,
    attribution: field.attribution,
    stated_collection_basis: Optional(field.stated_collection_basis),
  });
}

export type CreateSubmissionBody = Static<ReturnType<typeof createSubmissionSchema>>;
