import type { EnquiryJson } from './fields.ts';

/** The parts of a body schema that define accepted and required fields. */
interface BodySchema {
  readonly properties: object;
  readonly required?: readonly string[];
}

/** Returns the sample fields that a body requires, in the order of its schema. */
export function requiredSample(schema: BodySchema, provider: string): Partial<EnquiryJson> {
  return pick(provider, (name) => schema.required?.includes(name) === true, schema);
}

/** Returns the sample fields that a body accepts, in the order of its schema. */
export function wholeSample(schema: BodySchema, provider: string): Partial<EnquiryJson> {
  return pick(provider, () => true, schema);
}

function pick(
  provider: string,
  wanted: (name: string) => boolean,
  { properties }: BodySchema,
): Partial<EnquiryJson> {
  const sample = new Map(Object.entries(enquirySample(provider)));
  const names = Object.keys(properties).filter((name) => sample.has(name) && wanted(name));
  return Object.fromEntries(names.map((name) => [name, sample.get(name)]));
}

/** Returns an enquiry with every field and a clean screening, from which the published examples are made. */
export function enquirySample(provider: string): Required<EnquiryJson> {
  return {
    first_name: 'Ada',
    last_name: 'Sample',
    email: 'ada@sample-trading.example',
    telephone: '020 7946 0123',
    business_name: 'Sample Trading Ltd',
    business_structure: 'limited-company',
    business_sector: 'construction',
    trading_duration: '2-5-years',
    annual_turnover_gbp: 480_000,
    annual_turnover_range: '250k-500k',
    date_of_birth: '1985-12-10',
    home_address: {
      address_line_1: '12 Example Square',
      address_line_2: 'Flat 3',
      city: 'London',
      postcode: 'SW1Y 4ZZ',
      country: 'United Kingdom',
    },
    residence_since: '2019-04',
    funding_amount: 25_000,
    funding_purpose: 'equipment',
    funding_purpose_detail: 'A second excavator',
    funding_timeframe: 'within-1-month',
    preferred_contact_method: 'either',
    company_number: '01234567',
    privacy_information: {
      provided: true,
      wording_version: 'privacy-4',
      captured_at: '2026-11-20T09:29:40Z',
    },
    contact_expectation: {
      permission_stated: true,
      channels: ['phone', 'email'],
      wording_version: 'contact-2',
      captured_at: '2026-11-20T09:29:45Z',
    },
    marketing: false,
    credit_screening: {
      provider,
      checked_at: '2026-11-20T09:25:00Z',
      company_status: 'pass',
      unsatisfied_ccjs: 'pass',
      insolvency_or_winding_up: 'pass',
      unsatisfied_ccj_count: 0,
      declared: {
        adverse_credit: 'none',
        existing_finance: false,
        personal_guarantee: 'depends_on_offer',
      },
    },
    capture_timestamp: '2026-11-20T09:30:00Z',
    attribution: { source: 'comparison-site', campaign: 'autumn' },
    stated_collection_basis: { stated_basis: 'legitimate interests', wording_version: 'basis-1' },
    notes: 'Best reached before noon.',
  };
}
