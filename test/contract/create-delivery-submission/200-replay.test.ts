import { fullDelivery, withRaw } from '../../harness/enquiries.ts';
import { rowsOf } from '../../harness/processes.ts';
import { submissionOf } from '../../harness/responses.ts';
import { createdBasic, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const AT_ONCE = 50;

describe('delivery create replay', () => {
  it('returns 200 with the current status object', async () => {
    const body = fullDelivery();
    const { submission_id } = await createdBasic(alpha, body);
    const now = await settled(alpha, submission_id, 'minted', (s) => s.application_reference !== null);
    expect(await createdBasic(alpha, body)).toEqual(now);
  });

  it('returns 200 for an equivalent body in another JSON form', async () => {
    const body = fullDelivery();
    const { submission_id } = await createdBasic(alpha, body);
    const turned = Object.fromEntries(Object.entries(body).reverse());
    const spelled = withRaw(turned, 'funding_amount', '25000.0');
    expect(submissionOf(await alpha.createBasic(spelled), 200).submission_id).toBe(submission_id);
  });

  it('returns 200 to all concurrent requests, with one submission and one Application', async () => {
    const text = JSON.stringify(fullDelivery());
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => alpha.createBasic(text)));
    const ids = new Set(answers.map((answer) => submissionOf(answer, 200).submission_id));
    expect(ids.size).toBe(1);
    const [submissionId = ''] = ids;
    await settled(alpha, submissionId, 'minted', (s) => s.application_reference !== null);
    const sql = 'select submission_id from application where submission_id = $1';
    expect(await rowsOf('submission', sql, [submissionId])).toHaveLength(1);
  });
});
