import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { documentOf, finalize, put, putHalf, requestSubmissionUpload } from '../../harness/uploads.ts';

const alpha = supplier('alpha');

describe('finalize 422 at document_id', () => {
  it('returns 422 before the upload', async () => {
    const document = await requestSubmissionUpload(alpha);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
    await put(document);
    documentOf(await finalize(alpha, document));
  });

  it('returns 422 when the upload was interrupted, and accepts a complete upload afterwards', async () => {
    const document = await requestSubmissionUpload(alpha, { byte_size: 1_000_000 });
    await putHalf(document);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
    expect((await put(document)).status).toBe(200);
    documentOf(await finalize(alpha, document));
  });

  it.each<[string, Parameters<typeof put>[1]]>([
    ['one byte too short', { bytes: Buffer.alloc(1023) }],
    ['one byte too long', { bytes: Buffer.alloc(1025) }],
    ['empty', { bytes: Buffer.alloc(0) }],
    ['of a different type', { headers: { 'content-type': 'text/csv' } }],
  ])('returns 422 when the upload was %s, which its URL does not permit', async (_, how) => {
    const document = await requestSubmissionUpload(alpha);
    expect((await put(document, how)).status).toBe(403);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
  });
});
