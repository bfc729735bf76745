import { PublicError, type Violation } from '../../errors/public-error.ts';
import { fullBody, sampleBody } from '../../testing/sample-body.ts';
import { compileValidator } from '../../validation/validator.ts';
import { createSubmissionSchema } from './schema.ts';

const validate = compileValidator(createSubmissionSchema('screening_provider'));

function violations(body: unknown): Violation[] {
  try {
    validate(body);
    return [];
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== 'validation_error') throw error;
    return error.details as Violation[];
  }
}

/** The full body with one place, named by its dotted path, set to a value or, for undefined, removed. */
function bodyWith(path: string, value: unknown): unknown {
  const body = structuredClone(fullBody()) as unknown as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = body;
  for (const name of names) place = place[name] as Record<string, unknown>;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return body;
}

const REQUIRED = [
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
  'privacy_information',
  'privacy_information.provided',
  'privacy_information.wording_version',
  'privacy_information.captured_at',
  'contact_expectation',
  'contact_expectation.permission_stated',
  'contact_expectation.channels',
  'contact_expectation.wording_version',
  'contact_expectation.captured_at',
  'marketing',
  'capture_timestamp',
  'attribution',
  'attribution.source',
  'home_address.address_line_1',
  'home_address.city',
  'home_address.postcode',
  'credit_screening.provider',
  'credit_screening.checked_at',
  'credit_screening.company_status',
  'credit_screening.unsatisfied_ccjs',
  'credit_screening.insolvency_or_winding_up',
  'stated_collection_basis.stated_basis',
];

const OPTIONAL = [
  'annual_turnover_gbp',
  'annual_turnover_range',
  'date_of_birth',
  'home_address',
  'home_address.address_line_2',
  'home_address.country',
  'residence_since',
  'funding_purpose_detail',
  'company_number',
  'credit_screening',
  'credit_screening.unsatisfied_ccj_count',
  'credit_screening.declared',
  'credit_screening.declared.adverse_credit',
  'credit_screening.declared.overdue_finance_repayments',
  'credit_screening.declared.existing_finance',
  'credit_screening.declared.existing_finance_monthly_repayment_gbp',
  'credit_screening.declared.hmrc_arrears',
  'credit_screening.declared.personal_guarantee',
  'attribution.campaign',
  'attribution.lead_category',
  'stated_collection_basis',
  'stated_collection_basis.wording_version',
];

const LENGTHS: [string, number, number][] = [
  ['external_reference', 1, 128],
  ['first_name', 1, 100],
  ['last_name', 1, 100],
  ['email', 1, 320],
  ['telephone', 1, 20],
  ['business_name', 2, 200],
  ['funding_purpose_detail', 1, 200],
  ['company_number', 1, 20],
  ['home_address.address_line_1', 1, 200],
  ['home_address.address_line_2', 1, 200],
  ['home_address.city', 1, 100],
  ['home_address.postcode', 1, 20],
  ['home_address.country', 1, 80],
  ['privacy_information.wording_version', 1, 64],
  ['contact_expectation.wording_version', 1, 64],
  ['attribution.source', 1, 100],
  ['attribution.campaign', 1, 100],
  ['attribution.lead_category', 1, 100],
  ['stated_collection_basis.stated_basis', 1, 200],
  ['stated_collection_basis.wording_version', 1, 64],
];

const RANGES: [string, number, number][] = [
  ['funding_amount', 1000, 10_000_000],
  ['annual_turnover_gbp', 1, 1_000_000_000],
  ['credit_screening.unsatisfied_ccj_count', 0, 10_000],
  ['credit_screening.declared.existing_finance_monthly_repayment_gbp', 0, 10_000_000],
];

describe('the body of a create', () => {
  it('is fine with the required fields alone, and with all of them', () => {
    expect(violations(sampleBody())).toEqual([]);
    expect(violations(fullBody())).toEqual([]);
  });

  it('comes back as it went in', () => {
    const body = fullBody();
    expect(validate(body)).toBe(body);
    expect(body).toEqual(fullBody());
  });

  it.each(REQUIRED)('must have %s', (path) => {
    expect(violations(bodyWith(path, undefined))).toEqual([{ path, message: 'is required' }]);
  });

  it.each(OPTIONAL)('may leave %s out, but not make it null', (path) => {
    expect(violations(bodyWith(path, undefined))).toEqual([]);
    expect(violations(bodyWith(path, null)).map((violation) => violation.path)).toEqual([path]);
  });

  it.each(LENGTHS)('bounds %s to %i to %i code points', (path, least, most) => {
    const text = '\u{1f600}';
    for (const length of [least, most]) expect(violations(bodyWith(path, text.repeat(length)))).toEqual([]);
    for (const length of [least - 1, most + 1]) {
      expect(violations(bodyWith(path, text.repeat(length))).map((violation) => violation.path)).toEqual([
        path,
      ]);
    }
  });

  it.each(LENGTHS)('refuses NUL, unpaired surrogates and numbers in %s', (path) => {
    for (const bad of ['a\u0000b', 'ab\ud800', '\udc00ab', 12, ['ab']]) {
      expect(violations(bodyWith(path, bad)).map((violation) => violation.path)).toEqual([path]);
    }
    expect(violations(bodyWith(path, 'ab\ud83d\ude00'))).toEqual([]);
  });

  it.each(RANGES)('bounds %s to whole numbers from %i to %i', (path, least, most) => {
    for (const good of [least, most, Number('1000.0')]) expect(violations(bodyWith(path, good))).toEqual([]);
    for (const bad of [least - 1, most + 1, 1000.5, '1000', true, Number.POSITIVE_INFINITY]) {
      const found = violations(bodyWith(path, bad)).map((violation) => violation.path);
      expect(new Set(found)).toEqual(new Set([path]));
    }
  });

  it.each([
    'capture_timestamp',
    'privacy_information.captured_at',
    'contact_expectation.captured_at',
    'credit_screening.checked_at',
  ])('takes an existing UTC time for %s', (path) => {
    for (const good of ['2024-02-29T23:59:59Z', '2026-01-01T00:00:00.123456789Z']) {
      expect(violations(bodyWith(path, good))).toEqual([]);
    }
    for (const bad of ['2026-02-29T00:00:00Z', '2026-01-01T00:00:00+00:00', '2026-01-01', '', 0]) {
      expect(violations(bodyWith(path, bad)).map((violation) => violation.path)).toEqual([path]);
    }
  });

  it.each([
    ['date_of_birth', '1984-02-29', ['1985-02-29', '1985-2-1', '85-02-01', '1985-02-01T00:00:00Z']],
    ['residence_since', '2020-12', ['2020-13', '2020-00', '2020', '2020-12-01']],
  ])('takes an existing date for %s', (path, good, bads) => {
    expect(violations(bodyWith(path, good))).toEqual([]);
    for (const bad of bads) expect(violations(bodyWith(path, bad)).map(({ path: at }) => at)).toEqual([path]);
  });

  it.each([
    'level',
    'business_structure',
    'business_sector',
    'trading_duration',
    'annual_turnover_range',
    'funding_purpose',
    'funding_timeframe',
    'preferred_contact_method',
    'contact_expectation.channels.0',
    'credit_screening.provider',
    'credit_screening.company_status',
    'credit_screening.declared.adverse_credit',
    'credit_screening.declared.hmrc_arrears',
    'credit_screening.declared.personal_guarantee',
  ])('takes only the contract values for %s', (path) => {
    for (const bad of ['', 'UNSPECIFIED', 'Other', 'Pass', ' yes', 1, true, null]) {
      expect(violations(bodyWith(path, bad)).map((violation) => violation.path)).toEqual([path]);
    }
  });

  it.each(['privacy_information.provided', 'contact_expectation.permission_stated'])(
    'wants %s true',
    (path) => {
      expect(violations(bodyWith(path, false))).toEqual([{ path, message: 'must be true' }]);
      expect(violations(bodyWith(path, 'true'))).toEqual([{ path, message: 'must be true or false' }]);
    },
  );

  it('wants at least one channel, and names a wrong one by its place', () => {
    const channels = 'contact_expectation.channels';
    expect(violations(bodyWith(channels, []))).toEqual([
      { path: channels, message: 'must have at least 1 item' },
    ]);
    expect(violations(bodyWith(channels, ['email', 'post']))).toEqual([
      { path: `${channels}.1`, message: 'must be one of phone, email' },
    ]);
    expect(violations(bodyWith(channels, ['email', 'email']))).toEqual([]);
  });

  it.each([
    '',
    'home_address.',
    'privacy_information.',
    'contact_expectation.',
    'credit_screening.',
    'credit_screening.declared.',
    'attribution.',
    'stated_collection_basis.',
  ])('refuses unknown properties in "%s"', (prefix) => {
    for (const name of ['extra', 'constructor', 'toString', 'First_Name']) {
      expect(violations(bodyWith(prefix + name, 'x'))).toEqual([
        { path: prefix + name, message: 'is not a known field' },
      ]);
    }
  });

  it('refuses __proto__ like any unknown property', () => {
    const text = JSON.stringify(sampleBody()).replace('{', '{"__proto__":{"level":"application"},');
    expect(violations(JSON.parse(text))).toEqual([{ path: '__proto__', message: 'is not a known field' }]);
  });

  it.each([[[]], ['text'], [1], [null], [true]])('must be an object, not %j', (body) => {
    expect(violations(body)).toEqual([{ path: '', message: 'must be an object' }]);
  });

  it('lists all violations at once', () => {
    const body = { ...sampleBody(), email: '', funding_amount: 999, extra: 1, home_address: {} };
    expect(
      violations(body)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([
      'email',
      'extra',
      'funding_amount',
      'home_address.address_line_1',
      'home_address.city',
      'home_address.postcode',
    ]);
  });

  it('lists at most 50', () => {
    const channels = Array.from({ length: 9_000 }, () => 'post');
    expect(violations(bodyWith('contact_expectation.channels', channels))).toHaveLength(50);
  });

  it('shortens the path of a long unknown property to 128 well-formed characters', () => {
    for (const name of ['x'.repeat(500), `x${'\u{1f600}'.repeat(500)}`, `\ud800${'x'.repeat(500)}`]) {
      const [violation] = violations({ ...sampleBody(), [name]: 1 });
      expect(violation?.path.length).toBeLessThanOrEqual(128);
      expect(violation?.path.length).toBeGreaterThan(120);
      expect(violation?.path.isWellFormed()).toBe(true);
    }
  });

  it('never repeats a submitted value', () => {
    const secret = 'S3CRET-value';
    const everywhere = JSON.parse(JSON.stringify(fullBody()), (_key, value) =>
      typeof value === 'object' ? value : `${secret}\u0000`,
    );
    const found = violations(everywhere);
    expect(found.length).toBeGreaterThan(30);
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('takes the provider that the operator has set', () => {
    const other = compileValidator(createSubmissionSchema('other_agency'));
    expect(() => other(fullBody())).toThrow(PublicError);
    expect(() => other(bodyWith('credit_screening.provider', 'other_agency'))).not.toThrow();
  });
});
