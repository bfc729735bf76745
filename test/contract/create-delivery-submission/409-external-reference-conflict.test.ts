import { newSupplier } from '../../harness/accounts.ts';
import { delivery, enquiry, newReference, withValue } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created, createdBasic, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('delivery create external_reference_conflict', () => {
  it('names the supplier’s submission that has the reference', async () => {
    const body = delivery();
    const { submission_id } = await createdBasic(alpha, body);
    const refusal = refusalOf(await alpha.createBasic(withValue(body, 'first_name', 'Grace')), 409);
    expect(refusal).toMatchObject({ code: 'external_reference_conflict', details: { submission_id } });
  });

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

  it('accepts a reference used by another supplier or in the other environment', async () => {
    const external_reference = newReference();
    await createdBasic(alpha, delivery({ external_reference }));
    await createdBasic(await newSupplier(), delivery({ external_reference }));
    await createdBasic(supplier('alpha', 'production'), delivery({ external_reference }));
  });
});
