import type { CreateSubmissionBody } from '../routes/create-submission/schema.ts';

/** The smallest body that a create takes. */
export function sampleBody(): CreateSubmissionBody {
  return {
    external_reference: 'ref-1',
    level: 'application',
    first_name: 'Ada',
    last_name: 'Byron',
    email: 'ada@example.test',
    telephone: '+44 20 7946 0000',
    business_name: 'Analytical Engines Ltd',
    business_structure: 'limited-company',
    business_sector: 'technology-media',
    trading_duration: '2-5-years',
    funding_amount: 25_000,
    funding_purpose: 'equipment',
    funding_timeframe: 'within-3-months',
    preferred_contact_method: 'either',
    privacy_information: { provided: true, wording_version: 'p-1', captured_at: '2026-11-20T09:00:00Z' },
    contact_expectation: {
      permission_stated: true,
      channels: ['phone', 'email'],
      wording_version: 'c-1',
      captured_at: '2026-11-20T09:00:00.123456789Z',
    },
    marketing: false,
    capture_timestamp: '2026-11-20T09:00:01.5Z',
    attribution: { source: 'comparison-site' },
  };
}

/** A body with every optional field, about 2 KB of JSON. */
export function fullBody(): CreateSubmissionBody {
  return {
    ...sampleBody(),
    annual_turnover_gbp: 480_000,
    annual_turnover_range: '250k-500k',
    date_of_birth: '1985-12-10',
    home_address: {
      address_line_1: '12 St James Square',
      address_line_2: 'Flat 3',
      city: 'London',
      postcode: 'SW1Y 4LB',
      country: 'United Kingdom',
    },
    residence_since: '2019-04',
    funding_purpose_detail: 'A second engine',
    company_number: '01234567',
    credit_screening: {
      provider: 'screening_provider',
      checked_at: '2026-11-20T08:59:00Z',
      company_status: 'pass',
      unsatisfied_ccjs: 'not_checked',
      insolvency_or_winding_up: 'fail',
      unsatisfied_ccj_count: 0,
      declared: {
        adverse_credit: 'previously_resolved',
        overdue_finance_repayments: false,
        existing_finance: true,
        existing_finance_monthly_repayment_gbp: 850,
        hmrc_arrears: 'with_payment_plan',
        personal_guarantee: 'depends_on_offer',
      },
    },
    attribution: { source: 'comparison-site', campaign: 'autumn', lead_category: 'warm' },
    stated_collection_basis: { stated_basis: 'legitimate interest', wording_version: 'b-1' },
  };
}
