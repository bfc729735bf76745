import { upload, without, withRaw } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const ask = (body: object | string) =>
  supplier('alpha').call({ method: 'POST', path: UPLOAD_URL_PATH, body });

describe('request an upload URL with invalid fields', () => {
  it('names every required field of an empty object', async () => {
    expect(pathsOf(await ask({}))).toEqual(Object.keys(upload()).sort());
  });

  it.each(Object.keys(upload()))('returns 422 without %s', async (path) => {
    expect(pathsOf(await ask(without(upload(), path)))).toEqual([path]);
  });

  it.each([
    ['external_reference', ''],
    ['external_reference', 'x'.repeat(129)],
    ['filename', ''],
    ['filename', 'x'.repeat(256)],
    ['filename', 'a\u0000b'],
    ['content_type', ''],
    ['content_type', 'text/plain'],
    ['content_type', 'application/pdf; charset=utf-8'],
    ['content_type', 'text/csv; charset=windows-1252'],
    ['byte_size', 0],
    ['byte_size', -1],
    ['byte_size', 1.5],
    ['byte_size', '1024'],
    ['byte_size', 9_007_199_254_740_992],
    ['category', 'passport'],
    ['category', null],
    ['document_id', 'x'],
  ])('returns 422 for %s = %j', async (path, value) => {
    expect(pathsOf(await ask(upload({ [path]: value })))).toEqual([path]);
  });

  it.each(['1024.00000000000000000001', '1023.99999999999999999999'])(
    'returns 422 for a byte_size of %s, which is not an integer but would round to one',
    async (raw) => {
      expect(pathsOf(await ask(withRaw(upload(), 'byte_size', raw)))).toEqual(['byte_size']);
    },
  );

  it('returns 422 instead of 413 when another field is invalid too', async () => {
    expect(pathsOf(await ask(upload({ byte_size: 26_214_401, category: 'x' })))).toEqual(['category']);
  });
});
