import { correction, enquiry } from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { decided, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const CONTACT = ['email', 'first_name', 'last_name', 'preferred_contact_method', 'telephone'];

describe('contact correction 422', () => {
  it('names every missing field, and an id that is not a UUID', async () => {
    const missing = [...CONTACT, 'expected_revision', 'operation_idempotency_key', 'submission_id'];
    expect(pathsOf(await alpha.correct('no-uuid', {}))).toEqual(missing.sort());
  });

  it('is the response about an application-level submission', async () => {
    const { submission_id } = await decided(alpha, enquiry());
    expect(pathsOf(await alpha.correct(submission_id, correction()))).toEqual(['submission_id']);
  });
});
