import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier();
});

describe('contact correction revision_conflict', () => {
  it('returns 409 with the current revision for a stale one, and accepts the current revision', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    submissionOf(await api.correct(submission_id, correction()), 200);
    const body = correction();
    const { details } = refusalOf(await api.correct(submission_id, body), 409);
    expect(details).toEqual({ current_revision: 1 });
    // The key of a refused correction is still unused.
    submissionOf(await api.correct(submission_id, { ...body, expected_revision: 1 }), 200);
  });
});
