// The create body, field by field, copied by hand from the contract. The tests of accepted and refused values are
// generated from these tables; no test defines its own bounds.

const CONTACT = 'contact_expectation';
const PRIVACY = 'privacy_information';
const SCREENING = 'credit_screening';
const DECLARED = 'credit_screening.declared';

/** Every free text field, with its minimum and maximum number of code points. */
export const STRINGS: readonly { path: string; min: number; max: number }[] = [
  { path: 'external_reference', min: 1, max: 128 },
  { path: 'first_name', min: 1, max: 100 },
  { path: 'last_name', min: 1, max: 100 },
  { path: 'email', min: 1, max: 320 },
  { path: 'telephone', min: 1, max: 20 },
  { path: 'business_name', min: 2, max: 200 },
  { path: 'funding_purpose_detail', min: 1, max: 200 },
  { path: 'company_number', min: 1, max: 20 },
  { path: 'home_address.address_line_1', min: 1, max: 200 },
  { path: 'home_address.address_line_2', min: 1, max: 200 },
  { path: 'home_address.city', min: 1, max: 100 },
  { path: 'home_address.postcode', min: 1, max: 20 },
  { path: 'home_address.country', min: 1, max: 80 },
  { path: `${PRIVACY}.wording_version`, min: 1, max: 64 },
  { path: `${CONTACT}.wording_version`, min: 1, max: 64 },
  { path: 'attribution.source', min: 1, max: 100 },
  { path: 'attribution.campaign', min: 1, max: 100 },
  { path: 'attribution.lead_category', min: 1, max: 100 },
  { path: 'stated_collection_basis.stated_basis', min: 1, max: 200 },
  { path: 'stated_collection_basis.wording_version', min: 1, max: 64 },
];

const RESULTS = ['pass', 'fail', 'not_checked'];

/** Every enumeration with all its values. */
export const ENUMS: readonly { path: string; values: readonly string[] }[] = [
  { path: 'business_structure', values: ['limited-company', 'llp', 'partnership', 'sole-trader', 'other'] },
  {
    path: 'business_sector',
    values: [
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
  },
  { path: 'trading_duration', values: ['less-than-1', '1-2-years', '2-5-years', '5-plus-years'] },
  {
    path: 'annual_turnover_range',
    values: ['under-100k', '100k-250k', '250k-500k', '500k-1m', '1m-5m', 'over-5m'],
  },
  {
    path: 'funding_purpose',
    values: [
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
  },
  { path: 'funding_timeframe', values: ['asap', 'within-1-month', 'within-3-months', 'planning-ahead'] },
  { path: 'preferred_contact_method', values: ['email', 'phone', 'either'] },
  { path: `${SCREENING}.company_status`, values: RESULTS },
  { path: `${SCREENING}.unsatisfied_ccjs`, values: RESULTS },
  { path: `${SCREENING}.insolvency_or_winding_up`, values: RESULTS },
  { path: `${DECLARED}.adverse_credit`, values: ['none', 'current', 'previously_resolved'] },
  { path: `${DECLARED}.hmrc_arrears`, values: ['none', 'with_payment_plan', 'without_payment_plan'] },
  { path: `${DECLARED}.personal_guarantee`, values: ['yes', 'depends_on_offer', 'no'] },
];

/** Every integer field with its inclusive bounds. */
export const INTEGERS: readonly { path: string; min: number; max: number }[] = [
  { path: 'annual_turnover_gbp', min: 1, max: 1_000_000_000 },
  { path: 'funding_amount', min: 1000, max: 10_000_000 },
  { path: `${SCREENING}.unsatisfied_ccj_count`, min: 0, max: 10_000 },
  { path: `${DECLARED}.existing_finance_monthly_repayment_gbp`, min: 0, max: 10_000_000 },
];

/** Every boolean; the contract requires some of them to be true. */
export const BOOLEANS: readonly { path: string; mustBeTrue: boolean }[] = [
  { path: 'marketing', mustBeTrue: false },
  { path: `${PRIVACY}.provided`, mustBeTrue: true },
  { path: `${CONTACT}.permission_stated`, mustBeTrue: true },
  { path: `${DECLARED}.overdue_finance_repayments`, mustBeTrue: false },
  { path: `${DECLARED}.existing_finance`, mustBeTrue: false },
];

/** Every timestamp. */
export const TIMESTAMPS: readonly string[] = [
  'capture_timestamp',
  `${PRIVACY}.captured_at`,
  `${CONTACT}.captured_at`,
  `${SCREENING}.checked_at`,
];

/** Every object nested in the body. */
export const OBJECTS: readonly string[] = [
  'home_address',
  PRIVACY,
  CONTACT,
  SCREENING,
  DECLARED,
  'attribution',
  'stated_collection_basis',
];

/** The required top-level fields of a create. */
export const REQUIRED_AT_THE_TOP: readonly string[] = [
  'external_reference',
  'level',
  'first_name',
  'last_name',
  'email',
  'telephone',
  'business_name',
  'business_structure',
  'business_sector',
  'trading_duration',
  'funding_amount',
  'funding_purpose',
  'funding_timeframe',
  'preferred_contact_method',
  PRIVACY,
  CONTACT,
  'marketing',
  'capture_timestamp',
  'attribution',
];

/** The fields that an object requires when it is present. */
export const REQUIRED_INSIDE: readonly string[] = [
  'home_address.address_line_1',
  'home_address.city',
  'home_address.postcode',
  `${PRIVACY}.provided`,
  `${PRIVACY}.wording_version`,
  `${PRIVACY}.captured_at`,
  `${CONTACT}.permission_stated`,
  `${CONTACT}.channels`,
  `${CONTACT}.wording_version`,
  `${CONTACT}.captured_at`,
  `${SCREENING}.provider`,
  `${SCREENING}.checked_at`,
  `${SCREENING}.company_status`,
  `${SCREENING}.unsatisfied_ccjs`,
  `${SCREENING}.insolvency_or_winding_up`,
  'attribution.source',
  'stated_collection_basis.stated_basis',
];
