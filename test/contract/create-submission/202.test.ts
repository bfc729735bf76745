import {
  type Body,
  declared,
  enquiry,
  fullEnquiry,
  minimalEnquiry,
  newReference,
  screening,
  withValue,
} from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { created, isDecided, settled, supplier } from '../../harness/suppliers.ts';
import { STRINGS } from './fields.ts';
import { type Row, rightValues, together, withRows } from './invalid-values.ts';

const alpha = supplier('alpha');
const full = (): Body => fullEnquiry({ credit_screening: screening({ declared: declared() }) });
const RIGHT: readonly Row[] = [
  ...rightValues(full()).filter(([path]) => path !== 'external_reference'),
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

  it('accepts every text at its minimum length, and decides the submission as usual', async () => {
    const shortest = STRINGS.filter(({ path }) => path !== 'external_reference').reduce(
      (body, { path, min }) => withValue(body, path, 'x'.repeat(min)),
      full(),
    );
    const { submission_id } = await created(alpha, shortest);
    await settled(alpha, submission_id, 'decided', isDecided);
  });

  it('accepts every number at its bounds, every listed value, and every spelling', async () => {
    for (const rows of together(RIGHT)) submissionOf(await alpha.create(withRows(full(), rows)), 202);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json ; version="1"',
  ])('accepts the content type %s', async (type) => {
    submissionOf(await alpha.create(enquiry(), { headers: { 'content-type': type } }), 202);
  });

  it('accepts white space around and between the tokens of the body', async () => {
    const spaced = JSON.stringify(enquiry(), null, '\t').replaceAll('\n', '\r\n');
    submissionOf(await alpha.create(` \t\r\n${spaced}\r\n `), 202);
  });

  it('accepts the same key in different objects', async () => {
    const basis = { stated_basis: 'consent', wording_version: 'privacy-7' };
    await created(alpha, enquiry({ stated_collection_basis: basis }));
  });

  it('creates one submission per environment when one reference is used in both', async () => {
    const body = fullEnquiry();
    const sandbox = await created(alpha, body);
    const production = await created(supplier('alpha', 'production'), body);
    expect(production.submission_id).not.toBe(sandbox.submission_id);
  });

  it('creates one submission per supplier when two use the same reference', async () => {
    const external_reference = newReference();
    const first = await created(alpha, enquiry({ external_reference }));
    const second = await created(supplier('beta'), enquiry({ external_reference }));
    expect(second.submission_id).not.toBe(first.submission_id);
  });
});
