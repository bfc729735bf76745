import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

const AT_ONCE = 20;
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier();
});

describe('contact correction replay', () => {
  it('returns 200 for the same key and body, and raises the revision once', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = correction();
    for (let i = 0; i < 3; i += 1) submissionOf(await api.correct(submission_id, body), 200);
    submissionOf(await api.correct(submission_id, correction({ expected_revision: 1 })), 200);
  });

  it('returns 200 after later corrections, although its revision is stale by then', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = correction();
    submissionOf(await api.correct(submission_id, body), 200);
    submissionOf(await api.correct(submission_id, correction({ expected_revision: 1 })), 200);
    submissionOf(await api.correct(submission_id, body), 200);
    submissionOf(await api.correct(submission_id, correction({ expected_revision: 2 })), 200);
  });

  it('returns 200 for an equivalent body in another JSON form', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = correction();
    submissionOf(await api.correct(submission_id, body), 200);
    const turned = Object.fromEntries(Object.entries(body).reverse());
    const spelled = JSON.stringify(turned).replace('"expected_revision":0', '"expected_revision": 0.0');
    submissionOf(await api.correct(submission_id, spelled), 200);
  });

  it('returns 200 to all concurrent requests, and raises the revision once', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const body = correction();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => api.correct(submission_id, body)),
    );
    for (const answer of answers) submissionOf(answer, 200);
    submissionOf(await api.correct(submission_id, correction({ expected_revision: 1 })), 200);
  });
});
