import { fullEnquiry, withValue } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { created, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('create external_reference_conflict', () => {
  it('names the supplier’s submission that has the reference', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    const refusal = refusalOf(await alpha.create(withValue(body, 'first_name', 'Grace')), 409);
    expect(refusal).toMatchObject({ code: 'external_reference_conflict', details: { submission_id } });
  });

  it('returns 409 after the decision too, and changes nothing', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    const decided = await settled(alpha, submission_id, 'decided', isDecided);
    refusalOf(await alpha.create(withValue(body, 'first_name', 'Grace')), 409);
    expect(submissionOf(await alpha.read(submission_id), 200)).toEqual(decided);
    expect(submissionOf(await alpha.create(body), 200)).toEqual(decided);
  });
});
