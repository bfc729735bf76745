import { upload } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const ask = (body: object | string) =>
  supplier('alpha').call({ method: 'POST', path: UPLOAD_URL_PATH, body });

describe('request an upload URL with invalid fields', () => {
  it('names every required field of an empty object', async () => {
    expect(pathsOf(await ask({}))).toEqual(Object.keys(upload()).sort());
  });

  it.each([
    ['external_reference', 'x'.repeat(129)],
    ['filename', 'x'.repeat(256)],
    ['content_type', 'text/plain'],
    ['content_type', 'application/pdf; charset=utf-8'],
    ['content_type', 'text/csv; charset=windows-1252'],
    ['byte_size', 0],
    ['byte_size', 9_007_199_254_740_992],
    ['category', 'passport'],
    ['document_id', 'x'],
  ])('returns 422 for %s = %j', async (path, value) => {
    expect(pathsOf(await ask(upload({ [path]: value })))).toEqual([path]);
  });

  it('returns 422 instead of 413 when another field is invalid too', async () => {
    expect(pathsOf(await ask(upload({ byte_size: 26_214_401, category: 'x' })))).toEqual(['category']);
  });
});
