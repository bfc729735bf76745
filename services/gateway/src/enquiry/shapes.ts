import Type, { type Static } from 'typebox';
import {
  calendarDate,
  calendarMonth,
  closed,
  mustBeTrue,
  oneOf,
  text,
  timestamp,
  whole,
} from '../validation/field-types.ts';
import {
  ADVERSE_CREDIT,
  ANNUAL_TURNOVER_RANGES,
  BUSINESS_SECTORS,
  BUSINESS_STRUCTURES,
  CONTACT_CHANNELS,
  FUNDING_PURPOSES,
  FUNDING_TIMEFRAMES,
  HMRC_ARREARS,
  PERSONAL_GUARANTEE,
  PREFERRED_CONTACT_METHODS,
  SCREENING_RESULTS,
  TRADING_DURATIONS,
} from './value-sets.ts';

const { Optional } = Type;

const homeAddress = closed({
  address_line_1: text(1, 200),
  address_line_2: Optional(text(1, 200)),
  city: text(1, 100),
  postcode: text(1, 20),
  country: Optional(text(1, 80)),
});

const privacyInformation = closed({
  provided: mustBeTrue(),
  wording_version: text(1, 64),
  captured_at: timestamp(),
});

const contactExpectation = closed({
  permission_stated: mustBeTrue(),
  channels: Type.Array(oneOf(CONTACT_CHANNELS), { minItems: 1 }),
  wording_version: text(1, 64),
  captured_at: timestamp(),
});

const declared = closed({
  adverse_credit: Optional(oneOf(ADVERSE_CREDIT)),
  overdue_finance_repayments: Optional(Type.Boolean()),
  existing_finance: Optional(Type.Boolean()),
  existing_finance_monthly_repayment_gbp: Optional(whole(0, 10_000_000)),
  hmrc_arrears: Optional(oneOf(HMRC_ARREARS)),
  personal_guarantee: Optional(oneOf(PERSONAL_GUARANTEE)),
});

/** `provider` is the name of the one credit-reference provider that is accepted. */
const creditScreening = (provider: string) =>
  closed({
    provider: Type.Literal(provider),
    checked_at: timestamp(),
    company_status: oneOf(SCREENING_RESULTS),
    unsatisfied_ccjs: oneOf(SCREENING_RESULTS),
    insolvency_or_winding_up: oneOf(SCREENING_RESULTS),
    unsatisfied_ccj_count: Optional(whole(0, 10_000)),
    declared: Optional(declared),
  });

const attribution = closed({
  source: text(1, 100),
  campaign: Optional(text(1, 100)),
  lead_category: Optional(text(1, 100)),
});

const statedCollectionBasis = closed({
  stated_basis: text(1, 200),
  wording_version: Optional(text(1, 64)),
});

/**
 * Every field of an enquiry with its constraints, by its public name. An operation picks the fields it takes and says
 * which of them it requires. Implements docs/contract.md, section 2.
 */
export function enquiryFields(screeningProvider: string) {
  return {
    first_name: text(1, 100),
    last_name: text(1, 100),
    email: text(1, 320),
    telephone: text(1, 20),
    business_name: text(2, 200),
    business_structure: oneOf(BUSINESS_STRUCTURES),
    business_sector: oneOf(BUSINESS_SECTORS),
    trading_duration: oneOf(TRADING_DURATIONS),
    annual_turnover_gbp: Type.Integer({ exclusiveMinimum: 0, maximum: 1_000_000_000 }),
    annual_turnover_range: oneOf(ANNUAL_TURNOVER_RANGES),
    date_of_birth: calendarDate(),
    home_address: homeAddress,
    residence_since: calendarMonth(),
    funding_amount: whole(1000, 10_000_000),
    funding_purpose: oneOf(FUNDING_PURPOSES),
    funding_purpose_detail: text(1, 200),
    funding_timeframe: oneOf(FUNDING_TIMEFRAMES),
    preferred_contact_method: oneOf(PREFERRED_CONTACT_METHODS),
    company_number: text(1, 20),
    privacy_information: privacyInformation,
    contact_expectation: contactExpectation,
    marketing: Type.Boolean(),
    credit_screening: creditScreening(screeningProvider),
    capture_timestamp: timestamp(),
    attribution,
    stated_collection_basis: statedCollectionBasis,
    notes: text(1, 500),
  };
}

type Fields = ReturnType<typeof enquiryFields>;

/** An enquiry as public JSON, after validation. Which fields are there is the operation's schema to say. */
export type EnquiryJson = { readonly [Name in keyof Fields]?: Static<Fields[Name]> };
