/** The closed value sets of an enquiry, in the contract's order and spelling. Implements docs/contract.md, section 2. */
export const BUSINESS_STRUCTURES = ['limited-company', 'llp', 'partnership', 'sole-trader', 'other'] as const;

export const BUSINESS_SECTORS = [
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
] as const;

export const TRADING_DURATIONS = ['less-than-1', '1-2-years', '2-5-years', '5-plus-years'] as const;

export const ANNUAL_TURNOVER_RANGES = [
  'under-100k',
  '100k-250k',
  '250k-500k',
  '500k-1m',
  '1m-5m',
  'over-5m',
] as const;

export const FUNDING_PURPOSES = [
  'working-capital',
  'equipment',
  'stock',
  'vehicles',
  'property',
  'tax-vat',
  'acquisition',
  'refinance',
  'other',
] as const;

export const FUNDING_TIMEFRAMES = ['asap', 'within-1-month', 'within-3-months', 'planning-ahead'] as const;

export const PREFERRED_CONTACT_METHODS = ['email', 'phone', 'either'] as const;

export const CONTACT_CHANNELS = ['phone', 'email'] as const;

export const SCREENING_RESULTS = ['pass', 'fail', 'not_checked'] as const;

export const ADVERSE_CREDIT = ['none', 'current', 'previously_resolved'] as const;

export const HMRC_ARREARS = ['none', 'with_payment_plan', 'without_payment_plan'] as const;

export const PERSONAL_GUARANTEE = ['yes', 'depends_on_offer', 'no'] as const;
