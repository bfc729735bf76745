import { newSupplier } from '../../harness/accounts.ts';
import { refusalOf } from '../../harness/answers.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { created, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('404 to a read by reference', () => {
  it('comes for a reference that nobody has used', async () => {
    expect(refusalOf(await alpha.readByReference(newReference()), 404).code).toBe('not_found');
  });

  it('comes for another supplier’s reference, word for word as for an unknown one', async () => {
    const { external_reference } = await created(alpha, enquiry());
    const stranger = await newSupplier();
    const theirs = await stranger.readByReference(external_reference);
    const unknown = await stranger.readByReference(newReference());
    refusalOf(theirs, 404);
    expect(theirs.text).toBe(unknown.text);
    expect(Object.keys(theirs.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
  });

  it('comes for a reference of the other environment', async () => {
    const { external_reference } = await created(alpha, enquiry());
    refusalOf(await supplier('alpha', 'production').readByReference(external_reference), 404);
  });

  it('takes nothing for a pattern', async () => {
    const { external_reference } = await created(alpha, enquiry());
    refusalOf(await alpha.readByReference(external_reference.replace(/.$/, '%')), 404);
    refusalOf(await alpha.readByReference(external_reference.replace(/.$/, '_')), 404);
    refusalOf(await alpha.readByReference(external_reference.slice(0, -1)), 404);
  });
});
