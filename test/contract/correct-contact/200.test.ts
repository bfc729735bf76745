import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery, newCustomer, newKey } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, type SupplierApi, settled, supplier } from '../../harness/suppliers.ts';

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

  it('returns 200 when all contact fields change together', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const { email, telephone } = newCustomer();
    const all = { first_name: 'A', last_name: 'B', email, telephone, preferred_contact_method: 'either' };
    submissionOf(await api.correct(submission_id, correction(all)), 200);
  });

  it('raises the revision by one for each correction, starting at 0', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    for (let expected_revision = 0; expected_revision < 5; expected_revision += 1)
      submissionOf(await api.correct(submission_id, correction({ expected_revision })), 200);
  });

  it('returns 200 before the decision too', async () => {
    const staffed = supplier('staffed');
    const { submission_id, status } = await createdBasic(staffed, delivery());
    expect(status).toBe('received');
    submissionOf(await staffed.correct(submission_id, correction()), 200);
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
