import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion, withValue } from '../../harness/enquiries.ts';
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
});
