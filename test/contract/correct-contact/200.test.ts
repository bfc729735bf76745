import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery, newKey } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, type SupplierApi, settled } from '../../harness/suppliers.ts';

let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier();
});

describe('contact correction', () => {
  it.each([
    ['first_name', 'Grace'],
    ['last_name', 'x'.repeat(100)],
    ['telephone', '+447100000000'],
    ['email', '😀'.repeat(320)],
    ['preferred_contact_method', 'phone'],
  ])('returns 200 when only %s changes', async (name, value) => {
    const first = await createdBasic(api, delivery());
    const body = { operation_idempotency_key: newKey(), expected_revision: 0, [name]: value };
    const corrected = submissionOf(await api.correct(first.submission_id, body), 200);
    expect(corrected).toMatchObject({
      submission_id: first.submission_id,
      level: 'basic',
      status: first.status,
      decided_at: first.decided_at,
    });
  });

  it('returns 200 to a replay in another spelling, and raises the revision once', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = correction();
    submissionOf(await api.correct(submission_id, body), 200);
    const turned = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 1);
    submissionOf(await api.correct(submission_id, turned), 200);
    submissionOf(await api.correct(submission_id, correction({ expected_revision: 1 })), 200);
  });

  it('leaves the Application unchanged', async () => {
    const body = delivery();
    const { submission_id } = await createdBasic(api, body);
    const minted = await settled(api, submission_id, 'minted', (s) => s.application_reference !== null);
    const corrected = submissionOf(await api.correct(submission_id, correction()), 200);
    expect(corrected.application_reference).toBe(minted.application_reference);
    const application = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId: submission_id });
    expect(application.snapshot?.telephone).toBe(body.telephone);
  });
});
