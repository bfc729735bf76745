import { randomUUID } from 'node:crypto';
import { ApplicationMinting, DecisionMode } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion, minimalPromotion } from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

const TERMS = { applicationMinting: ApplicationMinting.ON_PROMOTION };
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier(TERMS);
});

describe('promotion 422', () => {
  it('names every missing field, and an id that is not a UUID', async () => {
    const required = Object.keys(minimalPromotion());
    expect(pathsOf(await api.promote(randomUUID(), {}))).toEqual([...required].sort());
    for (const id of ['no-uuid', randomUUID().slice(1), '%00'])
      expect(pathsOf(await api.promote(id, {}))).toEqual([...required, 'submission_id'].sort());
  });
});

describe('promotion of a submission in the wrong state', () => {
  it('returns 422 for an undecided submission, and accepts the same promotion once staff accept it', async () => {
    const staffed = await newSupplier({ ...TERMS, decisionMode: DecisionMode.STAFF });
    const { submission_id } = await createdBasic(staffed, delivery());
    const body = fullPromotion();
    expect(pathsOf(await staffed.promote(submission_id, body))).toEqual(['submission_id']);
    await staff.submission().decideSubmission({
      submissionId: submission_id,
      decision: Status.ACCEPTED,
      reason: 'looked fine',
    });
    expect((await staffed.promote(submission_id, body)).status).toBe(200);
  });
});
