import {
  type Body,
  declared,
  fullEnquiry,
  minimalEnquiry,
  newReference,
  screening,
  withValue,
} from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { STRINGS } from './fields.ts';
import { type Row, rightValues, together, withRows } from './invalid-values.ts';

const alpha = supplier('alpha');
const full = (): Body => fullEnquiry({ credit_screening: screening({ declared: declared() }) });
const RIGHT: readonly Row[] = [
  ...rightValues().filter(([path]) => path !== 'external_reference'),
  ['funding_amount', '1.0e3'],
  ['contact_expectation.channels', '["phone"]'],
  ['contact_expectation.channels', '["email"]'],
  ['contact_expectation.channels', '["phone","email","phone"]'],
  ['capture_timestamp', '"2026-11-20T00:00:00Z"'],
  ['capture_timestamp', '"2026-11-20T23:59:59.9Z"'],
  ['capture_timestamp', '"2024-02-29T12:00:00.123456789Z"'],
  ['date_of_birth', '"2000-02-29"'],
  ['residence_since', '"2019-12"'],
  ['marketing', 'true'],
  ['credit_screening.declared', '{}'],
  ['first_name', '"\\u005f\\ud83d\\ude00"'],
  ['last_name', '"line\\nbreak\\u0007"'],
];

describe('create', () => {
  it('returns received, undecided and without an application, for a body with every field', async () => {
    const body = fullEnquiry();
    const before = Date.now();
    const submission = await created(alpha, body);
    expect(submission).toMatchObject({
      environment: 'sandbox',
      external_reference: body.external_reference,
      level: 'application',
      status: 'received',
      decided_at: null,
      application_reference: null,
      application_created_at: null,
      billing: {
        billing_status: 'not_billable',
        billable_at: null,
        billing_model: 'accepted_submission',
        not_billable_reason: 'sandbox',
      },
    });
    expect(Date.parse(submission.received_at)).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(submission.received_at)).toBeLessThanOrEqual(Date.now() + 1000);
  });

  it('returns pending billing in production', async () => {
    const submission = await created(supplier('alpha', 'production'), fullEnquiry());
    expect(submission).toMatchObject({
      environment: 'production',
      status: 'received',
      billing: { billing_status: 'pending', billable_at: null, not_billable_reason: null },
    });
  });

  it('accepts a body with only the required fields', async () => {
    expect(await created(alpha, minimalEnquiry())).toMatchObject({ status: 'received' });
  });

  it('accepts every text at its maximum length, counted in code points beyond the basic plane', async () => {
    // Dates and enumerations have no length; every other text is filled to its maximum with four-byte characters.
    const longest = STRINGS.reduce((body, { path, max }) => withValue(body, path, '😀'.repeat(max)), full());
    const reference = `${newReference()}${'😀'.repeat(128)}`;
    const body = withValue(longest, 'external_reference', [...reference].slice(0, 128).join(''));
    const submission = await created(alpha, body);
    expect(submission.external_reference).toBe(body.external_reference);
  });

  it('accepts every number at its bounds, every listed value, and every spelling', async () => {
    for (const rows of together(RIGHT)) submissionOf(await alpha.create(withRows(full(), rows)), 202);
  });

  it('creates one submission per environment when one reference is used in both', async () => {
    const body = fullEnquiry();
    const sandbox = await created(alpha, body);
    const production = await created(supplier('alpha', 'production'), body);
    expect(production.submission_id).not.toBe(sandbox.submission_id);
  });
});
