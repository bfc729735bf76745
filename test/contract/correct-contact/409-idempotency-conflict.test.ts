import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery, newKey, withValue } from '../../harness/enquiries.ts';
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

  it('returns 409 for a key already used for another submission', async () => {
    const [one, two] = [await createdBasic(api, delivery()), await createdBasic(api, delivery())];
    const body = correction();
    submissionOf(await api.correct(one.submission_id, body), 200);
    expect(refusalOf(await api.correct(two.submission_id, body), 409).code).toBe('idempotency_conflict');
    submissionOf(await api.correct(two.submission_id, correction()), 200);
  });

  it('accepts a key used by another supplier or in the other environment', async () => {
    const operation_idempotency_key = newKey();
    for (const each of [api, await newSupplier(), await newSupplier({}, 'production')]) {
      const { submission_id } = await createdBasic(each, delivery());
      submissionOf(await each.correct(submission_id, correction({ operation_idempotency_key })), 200);
    }
  });
});
