import { randomUUID } from 'node:crypto';
import { unusedNumber } from './unused-numbers.ts';

/** A JSON request body; tests may put anything in it. */
export type Body = Readonly<Record<string, unknown>>;

/** The fields that the duplicate search compares. */
export interface Customer {
  readonly email: string;
  readonly telephone: string;
  readonly company_number: string;
}

/** Returns an unused supplier reference. */
export const newReference = (): string => `ref-${randomUUID()}`;

/** Returns a customer that the stack has never seen. */
export const newCustomer = (): Customer => ({
  email: `${randomUUID()}@example.com`,
  telephone: newTelephone(),
  company_number: newCompanyNumber(),
});

const PREFIXES =
  'AC BR CE CS EN ES FC FE GE GN GS IC IP LP NA NC NF NI NL NO NP NR NV NZ OC OE PC RC RS SA SC SE SF SG SI SL SO SP SR SZ';

/** Returns a published prefix followed by six digits. */
export const newCompanyNumber = (): string => {
  const prefixes = PREFIXES.split(' ');
  const number = unusedNumber(CUSTOMERS);
  return `${prefixes[number % prefixes.length]}${100_000 + Math.floor(number / prefixes.length)}`;
};

/** Returns seven digits without a leading zero, one fewer than the usual eight. */
export const newShortCompanyNumber = (): string => String(1_000_000 + unusedNumber(CUSTOMERS));

/** Returns a valid British mobile number in international form, above the range that individual tests use. */
export const newTelephone = (): string => `+447${110_000_000 + unusedNumber(CUSTOMERS)}`;

/** The number of seven-digit numbers without a leading zero. */
const CUSTOMERS = 9_000_000;

/** Returns only the required fields of a create. */
export const minimalEnquiry = (changes: Body = {}): Body => {
  const { email, telephone } = newCustomer();
  return {
    external_reference: newReference(),
    level: 'application',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email,
    telephone,
    business_name: 'Analytical Engines Ltd',
    business_structure: 'limited-company',
    business_sector: 'manufacturing',
    trading_duration: '2-5-years',
    funding_amount: 25_000,
    funding_purpose: 'equipment',
    funding_timeframe: 'within-1-month',
    preferred_contact_method: 'either',
    privacy_information: {
      provided: true,
      wording_version: 'privacy-7',
      captured_at: '2026-11-20T09:30:00Z',
    },
    contact_expectation: {
      permission_stated: true,
      channels: ['phone', 'email'],
      wording_version: 'contact-3',
      captured_at: '2026-11-20T09:30:01.5Z',
    },
    marketing: false,
    capture_timestamp: '2026-11-20T09:30:02.123456789Z',
    attribution: { source: 'comparison-site' },
    ...changes,
  };
};

/** Returns a valid enquiry of a new customer with a company number, so that only the number can make it a duplicate. */
export const enquiry = (changes: Body = {}): Body =>
  minimalEnquiry({ company_number: newCompanyNumber(), ...changes });

/** Returns a valid enquiry with every field of the contract. */
export const fullEnquiry = (changes: Body = {}): Body =>
  enquiry({
    annual_turnover_gbp: 480_000,
    annual_turnover_range: '250k-500k',
    date_of_birth: '1984-02-29',
    home_address: {
      address_line_1: '12 Example Street',
      address_line_2: 'Flat 3',
      city: 'Leeds',
      postcode: 'LS1 1AA',
      country: 'United Kingdom',
    },
    residence_since: '2019-07',
    funding_purpose_detail: 'A second milling machine',
    credit_screening: screening({ unsatisfied_ccj_count: 0, declared: declared() }),
    attribution: { source: 'comparison-site', campaign: 'autumn', lead_category: 'asset-finance' },
    stated_collection_basis: { stated_basis: 'consent', wording_version: 'basis-2' },
    ...changes,
  });

/** Returns only the required fields of a create on the delivery contract, for a customer contacted by telephone. */
export const minimalDelivery = (changes: Body = {}): Body => ({
  external_reference: newReference(),
  level: 'basic',
  first_name: 'Ada',
  last_name: 'Lovelace',
  telephone: newTelephone(),
  business_name: 'Analytical Engines Ltd',
  funding_amount: 25_000,
  contact_expectation: {
    permission_stated: true,
    channels: ['phone'],
    wording_version: 'contact-3',
    captured_at: '2026-11-20T09:30:01.5Z',
  },
  capture_timestamp: '2026-11-20T09:30:02.123456789Z',
  attribution: { source: 'comparison-site' },
  ...changes,
});

/**
 * Returns a valid basic enquiry of a new customer with a company number, so that only the number can make it a
 * duplicate.
 */
export const delivery = (changes: Body = {}): Body =>
  minimalDelivery({ company_number: newCompanyNumber(), ...changes });

/** Returns a valid basic enquiry with every field of the delivery contract. */
export const fullDelivery = (changes: Body = {}): Body =>
  delivery({
    email: newCustomer().email,
    business_sector: 'manufacturing',
    preferred_contact_method: 'email',
    funding_timeframe: 'within-1-month',
    trading_duration: '2-5-years',
    funding_purpose: 'equipment',
    annual_turnover_gbp: 480_000,
    annual_turnover_range: '250k-500k',
    funding_purpose_detail: 'A second milling machine',
    notes: 'Prefers to be called after five',
    ...changes,
  });

/** Returns an unused idempotency key. */
export const newKey = (): string => `key-${randomUUID()}`;

const NOT_PROMOTED = ['external_reference', 'level'];
const OPTIONAL_IN_PROMOTION = [
  'business_structure',
  'business_sector',
  'trading_duration',
  'funding_purpose',
  'funding_timeframe',
  'preferred_contact_method',
];

/** Returns only the twelve required fields of a promotion. */
export const minimalPromotion = (changes: Body = {}): Body => ({
  operation_idempotency_key: newKey(),
  ...lacking(minimalEnquiry(), [...NOT_PROMOTED, ...OPTIONAL_IN_PROMOTION]),
  ...changes,
});

/** Returns a promotion with every field. */
export const fullPromotion = (changes: Body = {}): Body => ({
  operation_idempotency_key: newKey(),
  ...lacking(fullEnquiry(), NOT_PROMOTED),
  ...changes,
});

/** Returns a correction of the telephone number, unless `changes` override it. */
export const correction = (changes: Body = {}): Body => ({
  operation_idempotency_key: newKey(),
  expected_revision: 0,
  telephone: newTelephone(),
  ...changes,
});

/** Returns a request for an upload URL. */
export const upload = (changes: Body = {}): Body => ({
  external_reference: newReference(),
  filename: 'statement.pdf',
  content_type: 'application/pdf',
  byte_size: 1024,
  category: 'bank_statements',
  ...changes,
});

/** Returns a request to finalize an upload. */
export const finalization = (changes: Body = {}): Body => ({
  external_reference: newReference(),
  document_id: randomUUID(),
  ...changes,
});

const lacking = (body: Body, names: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** Returns a screening with every check passed. */
export const screening = (changes: Body = {}): Body => ({
  provider: 'screening_provider',
  checked_at: '2026-11-20T09:29:00Z',
  company_status: 'pass',
  unsatisfied_ccjs: 'pass',
  insolvency_or_winding_up: 'pass',
  ...changes,
});

/** Returns the declarations of a customer with no adverse credit. */
export const declared = (changes: Body = {}): Body => ({
  adverse_credit: 'none',
  overdue_finance_repayments: false,
  existing_finance: true,
  existing_finance_monthly_repayment_gbp: 350,
  hmrc_arrears: 'none',
  personal_guarantee: 'depends_on_offer',
  ...changes,
});

/** Returns a copy of `body` with the value at the dotted `path` replaced or added. */
export function withValue(body: Body, path: string, value: unknown): Body {
  return edited(body, path, (parent, key) => {
    // Defines an own property under any name: assigning to `__proto__` would not create one.
    Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  });
}

/** Returns a copy of `body` without the field at the dotted `path`. */
export function without(body: Body, path: string): Body {
  return edited(body, path, (parent, key) => {
    delete parent[key];
  });
}

function edited(
  body: Body,
  path: string,
  edit: (parent: Record<string, unknown>, key: string) => void,
): Body {
  const copy = structuredClone(body) as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let parent = copy;
  for (const key of keys) parent = parent[key] as Record<string, unknown>;
  edit(parent, last);
  return copy;
}
