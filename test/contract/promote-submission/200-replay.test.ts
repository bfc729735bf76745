import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery, fullPromotion, withRaw } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier({ applicationMinting: ApplicationMinting.ON_PROMOTION });
});

describe('promotion replay', () => {
  it('returns 200 for the same key and body, with the current submission', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = fullPromotion();
    const { application_reference } = submissionOf(await api.promote(submission_id, body), 200);
    for (let i = 0; i < 3; i += 1)
      expect(submissionOf(await api.promote(submission_id, body), 200)).toMatchObject({
        application_reference,
      });
  });

  it('returns 200 for any spelling of the body and the id', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = fullPromotion();
    submissionOf(await api.promote(submission_id, body), 200);
    const turned = Object.fromEntries(Object.entries(body).reverse());
    submissionOf(await api.promote(submission_id, withRaw(turned, 'funding_amount', '25000.0')), 200);
    submissionOf(await api.promote(submission_id.toUpperCase(), body), 200);
  });

  it('returns 200 after a correction in between', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = fullPromotion();
    submissionOf(await api.promote(submission_id, body), 200);
    submissionOf(await api.correct(submission_id, correction()), 200);
    submissionOf(await api.promote(submission_id, body), 200);
  });
});
