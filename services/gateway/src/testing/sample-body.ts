import { enquirySample } from '../enquiry/sample.ts';
import type { CreateSubmissionBody } from '../routes/create-submission/create-submission.schema.ts';

/** Returns the smallest valid body of a create. */
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

/** Returns a body with every field, about 2 KB of JSON. Fields irrelevant to tests come from the published sample. */
export function fullBody(): CreateSubmissionBody {
  const { notes: _notes, ...fields } = enquirySample('screening_provider');
  return {
    ...fields,
    ...sampleBody(),
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
  };
}
