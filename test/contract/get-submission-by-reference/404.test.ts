import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('read by reference 404', () => {
  it('returns the same 404 body for another supplier’s reference as for an unknown one', async () => {
    const { external_reference } = await created(alpha, enquiry());
    const stranger = await newSupplier();
    const theirs = await stranger.readByReference(external_reference);
    const unknown = await stranger.readByReference(newReference());
    refusalOf(theirs, 404);
    expect(theirs.text).toBe(unknown.text);
    expect(Object.keys(theirs.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
  });

  it('returns 404 for a reference of the other environment', async () => {
    const { external_reference } = await created(alpha, enquiry());
    refusalOf(await supplier('alpha', 'production').readByReference(external_reference), 404);
  });

  it('treats no character as a wildcard', async () => {
    const { external_reference } = await created(alpha, enquiry());
    refusalOf(await alpha.readByReference(external_reference.replace(/.$/, '%')), 404);
    refusalOf(await alpha.readByReference(external_reference.replace(/.$/, '_')), 404);
    refusalOf(await alpha.readByReference(external_reference.slice(0, -1)), 404);
  });
});
