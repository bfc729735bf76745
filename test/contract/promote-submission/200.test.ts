import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion, minimalPromotion } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

const TERMS = { applicationMinting: ApplicationMinting.ON_PROMOTION };
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier(TERMS);
});

describe('promotion', () => {
  it('returns the Application, and changes nothing else', async () => {
    const accepted = await createdBasic(api, delivery());
    expect(accepted).toMatchObject({ status: 'accepted', application_reference: null });
    const body = fullPromotion();
    const promoted = submissionOf(await api.promote(accepted.submission_id, body), 200);
    expect(promoted).toEqual({
      ...accepted,
      application_reference: expect.stringMatching(/^APP-/),
      application_created_at: expect.any(String),
    });
    const read = submissionOf(await api.read(accepted.submission_id), 200);
    expect(read.application_reference).toBe(promoted.application_reference);
    // A replay in another spelling gets the same response.
    const turned = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 1);
    expect(submissionOf(await api.promote(accepted.submission_id, turned), 200)).toEqual(promoted);
  });

  it('accepts only the twelve required fields', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = minimalPromotion();
    expect(Object.keys(body)).toHaveLength(12);
    submissionOf(await api.promote(submission_id, body), 200);
  });
});
