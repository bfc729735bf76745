import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery, fullPromotion, newKey, withValue } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

const TERMS = { applicationMinting: ApplicationMinting.ON_PROMOTION };
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier(TERMS);
});

describe('promotion idempotency_conflict', () => {
  it('returns 409 for a key already used with another body', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = fullPromotion();
    submissionOf(await api.promote(submission_id, body), 200);
    const refusal = refusalOf(await api.promote(submission_id, withValue(body, 'first_name', 'Grace')), 409);
    expect(refusal.code).toBe('idempotency_conflict');
    expect(refusal).not.toHaveProperty('details');
  });

  it('returns 409 for a key already used for another submission, which stays unpromoted', async () => {
    const [one, two] = [await createdBasic(api, delivery()), await createdBasic(api, delivery())];
    const body = fullPromotion();
    submissionOf(await api.promote(one.submission_id, body), 200);
    expect(refusalOf(await api.promote(two.submission_id, body), 409).code).toBe('idempotency_conflict');
    expect(submissionOf(await api.read(two.submission_id), 200).application_reference).toBeNull();
  });

  it('accepts a key used for another operation, by another supplier or in the other environment', async () => {
    const operation_idempotency_key = newKey();
    const suppliers = [api, await newSupplier(TERMS), await newSupplier(TERMS, 'production')];
    const first = await createdBasic(api, delivery());
    submissionOf(await api.correct(first.submission_id, correction({ operation_idempotency_key })), 200);
    for (const each of suppliers) {
      const { submission_id } = await createdBasic(each, delivery());
      submissionOf(await each.promote(submission_id, fullPromotion({ operation_idempotency_key })), 200);
    }
  });
});
