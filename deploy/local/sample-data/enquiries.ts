import { BUSINESSES, type Business, FIRST_NAMES, LANDLINES, LAST_NAMES, TOWNS } from './lists.ts';
import { type Choices, choices } from './random.ts';
import { SAMPLE_SUPPLIERS, type SupplierName, supplierNames } from './sample-suppliers.ts';

export interface SampleEnquiry {
  readonly supplier: SupplierName;
  readonly environment: 'sandbox' | 'production';
  readonly level: 'basic' | 'application';
  readonly reference: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it repeats the customer of the enquiry before it. */
  readonly isRepeat: boolean;
}

const PRODUCTION_SHARE = 0.6;
const REPEAT_EVERY = 17;
/** Ends the reference of a submission that repeats a customer. */
export const REPEATED = '-2';
/** No common divisor with the number of businesses, so that no two customers share one. */
const BUSINESS_STRIDE = 577;
const MINUTE_MS = 60_000;
const AMOUNTS = [5_000, 7_500, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000, 45_000, 60_000];
const STRUCTURES = [
  { code: 'limited-company', suffix: ' Ltd' },
  { code: 'llp', suffix: ' LLP' },
  { code: 'sole-trader', suffix: '' },
];
const LARGE_AMOUNTS = [80_000, 120_000, 175_000, 250_000, 500_000];
/** Each supplier as often as its share. */
const SUPPLIERS = supplierNames.flatMap((name) =>
  Array<SupplierName>(SAMPLE_SUPPLIERS[name].share).fill(name),
);

/** Returns the enquiry with a number, captured in the two days before `at`. It is the same for the same arguments. */
export function sampleEnquiry(index: number, at: Date): SampleEnquiry {
  const isRepeat = index % REPEAT_EVERY === REPEAT_EVERY - 1;
  const choose = choices(isRepeat ? index - 1 : index);
  const supplier = choose.of(SUPPLIERS);
  const environment = choose.in(PRODUCTION_SHARE) ? 'production' : 'sandbox';
  const level = choose.in(SAMPLE_SUPPLIERS[supplier].basic) ? 'basic' : 'application';
  const reference = `${supplier.toUpperCase()}-${20_000 + index * 7}${isRepeat ? REPEATED : ''}`;
  const capturedAt = new Date(at.getTime() - choose.whole(isRepeat ? 1 : 10, 2_880) * MINUTE_MS);
  const { business_structure, ...customer } = customerOf(isRepeat ? index - 1 : index, choose);
  const body = {
    external_reference: reference,
    level,
    ...customer,
    ...financeOf(choose),
    preferred_contact_method: choose.of(['email', 'phone', 'either']),
    contact_expectation: {
      permission_stated: true,
      channels: ['phone', 'email'],
      wording_version: 'contact-3',
      captured_at: capturedAt.toISOString(),
    },
    capture_timestamp: capturedAt.toISOString(),
    attribution: {
      source: choose.of(['comparison-site', 'search', 'referral', 'newsletter']),
      campaign: choose.of(['autumn-growth', 'equipment-2026', 'tax-deadline']),
    },
    ...(level === 'application'
      ? { business_structure, ...applicationFields(choose, capturedAt) }
      : { notes: choose.of(['Prefers a call after five', 'Call before ten', 'Open on Saturdays']) }),
  };
  return { supplier, environment, level, reference, body, isRepeat };
}

/** Emails are in `example.test`, telephone numbers in Ofcom's ranges for drama, company numbers not in use. */
function customerOf(index: number, choose: Choices) {
  const { name, sector } = BUSINESSES[(index * BUSINESS_STRIDE) % BUSINESSES.length] as Business;
  const structure = choose.of(STRUCTURES);
  const [first_name, last_name] = [choose.of(FIRST_NAMES), choose.of(LAST_NAMES)];
  const digits = String(index % 1_000).padStart(3, '0');
  const host = name.toLowerCase().replaceAll(' ', '-');
  return {
    first_name,
    last_name,
    business_name: `${name}${structure.suffix}`,
    email: `${first_name}.${last_name}@${host}.example.test`.toLowerCase(),
    telephone: choose.in(0.6) ? `07700 900${digits}` : `${choose.of(LANDLINES)} 0${digits}`,
    business_structure: structure.code,
    business_sector: sector,
    ...(structure.suffix !== '' && { company_number: String(97_000_000 + index * 31) }),
  };
}

function financeOf(choose: Choices) {
  const amount = choose.of(choose.in(0.8) ? AMOUNTS : LARGE_AMOUNTS);
  return {
    funding_amount: amount,
    annual_turnover_gbp: amount * choose.whole(3, 20),
    trading_duration: choose.of(['less-than-1', '1-2-years', '2-5-years', '5-plus-years', '5-plus-years']),
    funding_purpose: choose.of(['working-capital', 'equipment', 'stock', 'vehicles', 'tax-vat', 'refinance']),
    funding_timeframe: choose.of(['asap', 'within-1-month', 'within-3-months', 'planning-ahead']),
  };
}

function applicationFields(choose: Choices, capturedAt: Date) {
  const at = capturedAt.toISOString();
  const home = { address_line_1: `${choose.whole(1, 90)} Example Street`, ...choose.of(TOWNS) };
  return {
    privacy_information: { provided: true, wording_version: 'privacy-7', captured_at: at },
    marketing: choose.in(0.3),
    ...(choose.in(0.3) && {
      home_address: home,
      date_of_birth: `19${choose.whole(60, 99)}-0${choose.whole(1, 9)}-15`,
    }),
    ...(choose.in(0.7) && { credit_screening: screeningOf(choose, at) }),
  };
}

function screeningOf(choose: Choices, at: string) {
  const hasJudgments = choose.in(0.08);
  return {
    provider: 'screening_provider',
    checked_at: at,
    company_status: choose.in(0.05) ? 'fail' : 'pass',
    unsatisfied_ccjs: hasJudgments ? 'fail' : 'pass',
    insolvency_or_winding_up: choose.in(0.02) ? 'fail' : 'pass',
    unsatisfied_ccj_count: hasJudgments ? choose.whole(1, 3) : 0,
    declared: {
      adverse_credit: choose.of(['none', 'none', 'none', 'none', 'previously_resolved', 'current']),
      overdue_finance_repayments: choose.in(0.04),
      hmrc_arrears: choose.of(['none', 'none', 'none', 'with_payment_plan']),
    },
  };
}
