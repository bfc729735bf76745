import { delivery, enquiry, newReference } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created, createdBasic, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('delivery create external_reference_conflict', () => {
  it('returns 409 across both versions, in either order', async () => {
    const [one, two] = [newReference(), newReference()];
    const first = await created(alpha, enquiry({ external_reference: one }));
    expect(refusalOf(await alpha.createBasic(delivery({ external_reference: one })), 409)).toMatchObject({
      details: { submission_id: first.submission_id },
    });
    const second = await createdBasic(alpha, delivery({ external_reference: two }));
    expect(refusalOf(await alpha.create(enquiry({ external_reference: two })), 409)).toMatchObject({
      details: { submission_id: second.submission_id },
    });
  });
});
