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

const { Optional } = Type;

/** More channels than fit into a body, at 8 bytes or more each with its comma: no readable body exceeds it. */
const MAX_CHANNELS = 8_192;

/** Every statement by the customer records which text was shown and when. */
const wordingVersion = () => text(1, 64, 'Your version number of the wording that the customer saw.');
const capturedAt = () => timestamp('When the customer saw and answered it.');
const screeningResult = (meaning: string) => oneOf(['pass', 'fail', 'not_checked'], meaning);

const homeAddress = closed(
  {
    address_line_1: text(1, 200, 'House and street.'),
    address_line_2: Optional(text(1, 200, 'Flat or building.')),
    city: text(1, 100, 'Town or city.'),
    postcode: text(1, 20, 'Postcode.'),
    country: Optional(text(1, 80, 'Country.')),
  },
  { description: "The contact's home address." },
);

const privacyInformation = closed(
  {
    provided: mustBeTrue('Must be true: an enquiry without it cannot be sent.'),
    wording_version: wordingVersion(),
    captured_at: capturedAt(),
  },
  { description: 'Proof that the customer was shown privacy information.' },
);

const contactExpectation = closed(
  {
    permission_stated: mustBeTrue('Must be true: an enquiry without it cannot be sent.'),
    channels: Type.Array(oneOf(['phone', 'email']), {
      minItems: 1,
      maxItems: MAX_CHANNELS,
      description: 'How the customer expects to be contacted.',
    }),
    wording_version: wordingVersion(),
    captured_at: capturedAt(),
  },
  { description: 'Proof that the customer expects to be contacted.' },
);

const declared = closed(
  {
    adverse_credit: Optional(
      oneOf(['none', 'current', 'previously_resolved'], 'Whether there is, or was, adverse credit.'),
    ),
    overdue_finance_repayments: Optional(
      Type.Boolean({ description: 'Whether repayments of existing finance are overdue.' }),
    ),
    existing_finance: Optional(Type.Boolean({ description: 'Whether the business has finance already.' })),
    existing_finance_monthly_repayment_gbp: Optional(
      whole(0, 10_000_000, 'Monthly repayments, in whole pounds.'),
    ),
    hmrc_arrears: Optional(
      oneOf(
        ['none', 'with_payment_plan', 'without_payment_plan'],
        'Whether tax is owed, and whether a payment plan is agreed.',
      ),
    ),
    personal_guarantee: Optional(
      oneOf(['yes', 'depends_on_offer', 'no'], 'Whether the contact would give a personal guarantee.'),
    ),
  },
  { description: "The customer's statements about the finances of the business." },
);

/** `provider` is the only accepted credit-reference provider. */
const creditScreening = (provider: string) =>
  closed(
    {
      provider: Type.Literal(provider, {
        description: 'The credit-reference provider. Only one value is accepted.',
      }),
      checked_at: timestamp('When you asked the provider.'),
      company_status: screeningResult('Whether the company is active.'),
      unsatisfied_ccjs: screeningResult('Whether the company is free of unsatisfied county court judgments.'),
      insolvency_or_winding_up: screeningResult(
        'Whether the company is free of insolvency and winding-up proceedings.',
      ),
      unsatisfied_ccj_count: Optional(whole(0, 10_000, 'The number of unsatisfied county court judgments.')),
      declared: Optional(declared),
    },
    { description: 'The results of your screening of the business.' },
  );

const attribution = closed(
  {
    source: text(1, 100, 'The channel or site that brought the customer.'),
    campaign: Optional(text(1, 100, 'Your name for the campaign.')),
    lead_category: Optional(text(1, 100, 'Your grading of the lead.')),
  },
  { description: 'The source of the enquiry.' },
);

const statedCollectionBasis = closed(
  {
    stated_basis: text(1, 200, 'The legal basis that you gave the customer.'),
    wording_version: Optional(wordingVersion()),
  },
  { description: 'The legal basis on which you collected the data.' },
);

/**
 * Defines every field of an enquiry by its public name: constraints, values and meaning. Validation and the published
 * reference are generated from this table; each operation selects its fields and marks the required ones. Implements
 * docs/contract.md, section 2.
 */
export function enquiryFields(screeningProvider: string) {
  return {
    first_name: text(1, 100, "The contact's first name."),
    last_name: text(1, 100, "The contact's last name."),
    email: text(1, 320, "The contact's email address."),
    telephone: text(1, 20, "The contact's telephone number. Without a country code it is read as British."),
    business_name: text(2, 200, 'The name the business trades under.'),
    business_structure: oneOf(
      ['limited-company', 'llp', 'partnership', 'sole-trader', 'other'],
      'The legal form of the business.',
    ),
    business_sector: oneOf(
      [
        'construction',
        'transport',
        'manufacturing',
        'motor-trade',
        'retail-wholesale',
        'hospitality',
        'professional-services',
        'healthcare',
        'agriculture',
        'beauty-wellness',
        'facilities',
        'technology-media',
        'education',
        'other',
      ],
      'What the business does.',
    ),
    trading_duration: oneOf(
      ['less-than-1', '1-2-years', '2-5-years', '5-plus-years'],
      'How long the business has traded.',
    ),
    annual_turnover_gbp: Type.Integer({
      exclusiveMinimum: 0,
      maximum: 1_000_000_000,
      description: 'Yearly turnover in whole pounds.',
    }),
    annual_turnover_range: oneOf(
      ['under-100k', '100k-250k', '250k-500k', '500k-1m', '1m-5m', 'over-5m'],
      'Yearly turnover as a band, if you do not know the exact figure.',
    ),
    date_of_birth: calendarDate("The contact's date of birth, YYYY-MM-DD."),
    home_address: homeAddress,
    residence_since: calendarMonth('The month in which the contact moved to that address, YYYY-MM.'),
    funding_amount: whole(1000, 10_000_000, 'The amount sought, in whole pounds.'),
    funding_purpose: oneOf(
      [
        'working-capital',
        'equipment',
        'stock',
        'vehicles',
        'property',
        'tax-vat',
        'acquisition',
        'refinance',
        'other',
      ],
      'The purpose of the funding.',
    ),
    funding_purpose_detail: text(1, 200, "The purpose in the customer's words."),
    funding_timeframe: oneOf(
      ['asap', 'within-1-month', 'within-3-months', 'planning-ahead'],
      'When the money is needed.',
    ),
    preferred_contact_method: oneOf(
      ['email', 'phone', 'either'],
      'How the contact would like to hear from us.',
    ),
    company_number: text(1, 20, 'The company registration number.'),
    privacy_information: privacyInformation,
    contact_expectation: contactExpectation,
    marketing: Type.Boolean({ description: 'Whether the customer agreed to marketing.' }),
    credit_screening: creditScreening(screeningProvider),
    capture_timestamp: timestamp('When the customer gave you the enquiry.'),
    attribution,
    stated_collection_basis: statedCollectionBasis,
    notes: text(1, 500, 'Notes for the person who contacts the customer.'),
  };
}

type Fields = ReturnType<typeof enquiryFields>;

/** An enquiry as public JSON, after validation. The operation's schema decides which fields are present. */
export type EnquiryJson = { readonly [Name in keyof Fields]?: Static<Fields[Name]> };
