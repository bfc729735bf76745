let last = 0;

/**
 * Returns a new customer's enquiry. Its company number is the time in tenths of a second, which repeats after 115 days.
 */
export function sampleEnquiry(): Record<string, unknown> & { external_reference: string } {
  last = Math.max(last + 1, Math.floor(Date.now() / 100));
  const number = String(last % 100_000_000).padStart(8, '0');
  const now = new Date().toISOString();
  return {
    external_reference: `demonstration-${last}`,
    level: 'application',
    first_name: 'Ada',
    last_name: 'Sample',
    email: `ada.${number}@example.com`,
    telephone: `+447${number.padStart(9, '4')}`,
    business_name: `Sample ${number} Ltd`,
    business_structure: 'limited-company',
    business_sector: 'construction',
    trading_duration: '5-plus-years',
    annual_turnover_gbp: 850_000,
    funding_amount: 45_000,
    funding_purpose: 'equipment',
    funding_timeframe: 'within-1-month',
    preferred_contact_method: 'email',
    company_number: number,
    privacy_information: { provided: true, wording_version: 'privacy-1', captured_at: now },
    contact_expectation: {
      permission_stated: true,
      channels: ['email', 'phone'],
      wording_version: 'contact-1',
      captured_at: now,
    },
    marketing: false,
    capture_timestamp: now,
    attribution: { source: 'local-demonstration' },
  };
}
