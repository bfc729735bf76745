import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion, minimalPromotion } from '../../harness/enquiries.ts';
import { rowsOf } from '../../harness/processes.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, type SupplierApi, settled, supplier } from '../../harness/suppliers.ts';

const TERMS = { applicationMinting: ApplicationMinting.ON_PROMOTION };
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier(TERMS);
});

describe('promotion', () => {
  it('returns the Application, and changes nothing else', async () => {
    const accepted = await createdBasic(api, delivery());
    expect(accepted).toMatchObject({ status: 'accepted', application_reference: null });
    const promoted = submissionOf(await api.promote(accepted.submission_id, fullPromotion()), 200);
    expect(promoted).toEqual({
      ...accepted,
      application_reference: expect.stringMatching(/^APP-/),
      application_created_at: expect.any(String),
    });
    const read = submissionOf(await api.read(accepted.submission_id), 200);
    expect(read.application_reference).toBe(promoted.application_reference);
  });

  it('accepts only the twelve required fields', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = minimalPromotion();
    expect(Object.keys(body)).toHaveLength(12);
    submissionOf(await api.promote(submission_id, body), 200);
  });

  it('accepts the id in capitals, which is the same UUID', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const answer = await api.promote(submission_id.toUpperCase(), fullPromotion());
    expect(submissionOf(answer, 200).submission_id).toBe(submission_id);
  });

  it('gives staff an Application with the promotion’s values', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = fullPromotion();
    const { application_reference } = submissionOf(await api.promote(submission_id, body), 200);
    expect(
      await staff.submission().getApplication({ purpose: 'read by a test', submissionId: submission_id }),
    ).toMatchObject({
      applicationReference: application_reference,
      snapshot: { email: body.email, telephone: body.telephone, homeAddress: { postcode: 'LS1 1AA' } },
    });
  });

  it('is the only way to an Application where the account’s terms require it', async () => {
    const waiting = await createdBasic(api, delivery());
    const alpha = supplier('alpha');
    const { submission_id } = await createdBasic(alpha, delivery());
    // Created later than this submission's Application would have been.
    await settled(alpha, submission_id, 'minted', (s) => s.application_reference !== null);
    const sql = 'select submission_id from application where submission_id = $1';
    expect(await rowsOf('submission', sql, [waiting.submission_id])).toEqual([]);
    submissionOf(await api.promote(waiting.submission_id, fullPromotion()), 200);
  });

  it('returns 200 in production too', async () => {
    const live = await newSupplier(TERMS, 'production');
    const { submission_id } = await createdBasic(live, delivery());
    expect(submissionOf(await live.promote(submission_id, fullPromotion()), 200)).toMatchObject({
      environment: 'production',
      application_reference: expect.any(String),
    });
  });
});
