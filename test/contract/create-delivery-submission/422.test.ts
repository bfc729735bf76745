import { minimalDelivery } from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

it('delivery create 422 names every missing field', async () => {
  expect(pathsOf(await supplier('alpha').createBasic({}))).toEqual(Object.keys(minimalDelivery()).sort());
});
