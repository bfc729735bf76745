import { fullEnquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { created, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('read by id', () => {
  it('returns 200 immediately after the 202, with the same submission', async () => {
    const first = await created(alpha, fullEnquiry());
    const read = submissionOf(await alpha.read(first.submission_id), 200);
    expect(read).toMatchObject({
      submission_id: first.submission_id,
      external_reference: first.external_reference,
      received_at: first.received_at,
    });
  });
});
