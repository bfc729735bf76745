import { delivery, fullPromotion } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, settled, supplier } from '../../harness/suppliers.ts';

describe('promotion concurrent_promotion', () => {
  it('names the Application that was created automatically', async () => {
    const alpha = supplier('alpha');
    const { submission_id } = await createdBasic(alpha, delivery());
    const minted = await settled(alpha, submission_id, 'minted', (s) => s.application_reference !== null);
    expect(refusalOf(await alpha.promote(submission_id, fullPromotion()), 409)).toMatchObject({
      code: 'concurrent_promotion',
      details: { application_reference: minted.application_reference },
    });
    expect(submissionOf(await alpha.read(submission_id), 200)).toEqual(minted);
  });
});
