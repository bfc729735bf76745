import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

const AT_ONCE = 50;
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier();
});

describe('contact correction revision_conflict', () => {
  it.each([1, 2, Number.MAX_SAFE_INTEGER])(
    'returns 409 for a revision ahead of the first: %s',
    async (expected_revision) => {
      const { submission_id } = await createdBasic(api, delivery());
      const refusal = refusalOf(await api.correct(submission_id, correction({ expected_revision })), 409);
      expect(refusal).toMatchObject({ code: 'revision_conflict', details: { current_revision: 0 } });
    },
  );

  it('returns 409 with the current revision for a stale one, and accepts the current revision', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    submissionOf(await api.correct(submission_id, correction()), 200);
    const body = correction();
    const { details } = refusalOf(await api.correct(submission_id, body), 409);
    expect(details).toEqual({ current_revision: 1 });
    // The key of a refused correction is still unused.
    submissionOf(await api.correct(submission_id, { ...body, expected_revision: 1 }), 200);
  });

  it('returns 409 to all but one of many concurrent corrections', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => api.correct(submission_id, correction())),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    for (const loser of answers.filter((answer) => answer.status !== 200))
      expect(refusalOf(loser, 409)).toMatchObject({
        code: 'revision_conflict',
        details: { current_revision: 1 },
      });
    submissionOf(await api.correct(submission_id, correction({ expected_revision: 1 })), 200);
  });

  it('accepts every writer that retries with the revision from the error', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    const writers = 8;
    const retry = async () => {
      let expected_revision = 0;
      for (let attempt = 0; attempt < writers; attempt += 1) {
        const answer = await api.correct(submission_id, correction({ expected_revision }));
        if (answer.status === 200) return;
        const details = refusalOf(answer, 409).details as { current_revision: number };
        expected_revision = details.current_revision;
      }
      throw new Error('a writer lost more often than there are others');
    };
    await Promise.all(Array.from({ length: writers }, retry));
    const last = correction({ expected_revision: writers });
    submissionOf(await api.correct(submission_id, last), 200);
  });
});
