import { enquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH, call } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created, originOf, supplier } from '../../harness/suppliers.ts';

describe('read by id 401', () => {
  it('returns 401 without a credential, whether or not the submission exists', async () => {
    const { submission_id } = await created(supplier('alpha'), enquiry());
    for (const id of [submission_id, '00000000-0000-7000-8000-000000000000', 'no-uuid']) {
      const answer = await call(originOf('sandbox'), { path: `${CREATE_PATH}/${id}` });
      expect(refusalOf(answer, 401).code).toBe('unauthorized');
    }
  });

  it('returns 401 for a credential of the other environment', async () => {
    const { submission_id } = await created(supplier('alpha'), enquiry());
    const { credential } = supplier('alpha', 'production');
    const path = `${CREATE_PATH}/${submission_id}`;
    refusalOf(await supplier('alpha').call({ path, credential }), 401);
  });
});
