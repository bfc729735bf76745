import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery, withValue } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier();
});

describe('contact correction idempotency_conflict', () => {
  it.each([
    ['another value', 'telephone', '+447100000001'],
    ['another revision', 'expected_revision', 1],
    ['an additional field', 'first_name', 'Grace'],
  ])('returns 409 for a key already used with %s', async (_, path, value) => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = correction();
    submissionOf(await api.correct(submission_id, body), 200);
    const refusal = refusalOf(await api.correct(submission_id, withValue(body, path, value)), 409);
    expect(refusal.code).toBe('idempotency_conflict');
    expect(refusal).not.toHaveProperty('details');
  });
});
