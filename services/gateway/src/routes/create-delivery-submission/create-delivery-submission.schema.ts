import Type, { type Static } from 'typebox';
import { enquiryFields } from '../../enquiry/fields.ts';
import { closed, externalReference, having } from '../../validation/field-types.ts';

const { Literal, Optional } = Type;

/** Requires an email address if the customer is to be reached by email. */
const emailWhereItIsUsed = {
  if: {
    properties: {
      contact_expectation: {
        not: {
          type: 'object',
          // The items are constrained elsewhere; readers of the reference want `items` on every array.
          properties: { channels: { type: 'array', items: {}, contains: { const: 'email' } } },
          required: ['channels'],
        },
      },
      preferred_contact_method: { not: { const: 'email' } },
    },
  },
  else: having('email'),
};

/** Returns the schema of a create's body on the delivery contract. Implements docs/contract.md, section 2. */
export function createDeliverySubmissionSchema(screeningProvider: string) {
  const field = enquiryFields(screeningProvider);
  return closed(
    {
      external_reference: externalReference(),
      level: Literal('basic'),
      first_name: field.first_name,
      last_name: field.last_name,
      telephone: field.telephone,
      business_name: field.business_name,
      funding_amount: field.funding_amount,
      contact_expectation: field.contact_expectation,
      capture_timestamp: field.capture_timestamp,
      attribution: field.attribution,
      email: Optional(field.email),
      business_sector: Optional(field.business_sector),
      preferred_contact_method: Optional(field.preferred_contact_method),
      funding_timeframe: Optional(field.funding_timeframe),
      trading_duration: Optional(field.trading_duration),
      funding_purpose: Optional(field.funding_purpose),
      annual_turnover_gbp: Optional(field.annual_turnover_gbp),
      annual_turnover_range: Optional(field.annual_turnover_range),
      funding_purpose_detail: Optional(field.funding_purpose_detail),
      company_number: Optional(field.company_number),
      notes: Optional(field.notes),
    },
    emailWhereItIsUsed,
  );
}

export type CreateDeliverySubmissionBody = Static<ReturnType<typeof createDeliverySubmissionSchema>>;
