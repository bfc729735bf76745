import { randomUUID } from 'node:crypto';
import { finalization } from '../../harness/enquiries.ts';
import { FINALIZE_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const ask = (body: object) => supplier('alpha').call({ method: 'POST', path: FINALIZE_PATH, body });

describe('finalize 422', () => {
  it('names every required field of an empty object', async () => {
    expect(pathsOf(await ask({}))).toEqual(['document_id', 'external_reference']);
  });

  it.each([
    ['external_reference', 'x'.repeat(129)],
    ['document_id', 'no-uuid'],
    ['document_id', randomUUID().replaceAll('-', '')],
    ['document_id', `${randomUUID()} `],
    ['category', 'id'],
  ])('returns 422 for %s = %j', async (path, value) => {
    expect(pathsOf(await ask(finalization({ [path]: value })))).toEqual([path]);
  });
});
