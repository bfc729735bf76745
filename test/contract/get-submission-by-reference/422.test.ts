import { CREATE_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('read by reference with an invalid reference', () => {
  it.each([
    ['empty', ''],
    ['of 129 characters', 'x'.repeat(129)],
    ['of 129 characters beyond the basic plane', '😀'.repeat(129)],
    ['with a NUL', 'a\u0000b'],
  ])('returns 422 for a reference that is %s', async (_, reference) => {
    expect(pathsOf(await alpha.readByReference(reference))).toEqual(['external_reference']);
  });

  it('returns 422 for a parameter without a value', async () => {
    expect(pathsOf(await alpha.call({ path: `${CREATE_PATH}?external_reference` }))).toEqual([
      'external_reference',
    ]);
  });
});
