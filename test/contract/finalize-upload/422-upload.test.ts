import { pathsOf } from '../../harness/answers.ts';
import { supplier } from '../../harness/suppliers.ts';
import { announcedForSubmission, documentOf, finalize, put, putHalf } from '../../harness/uploads.ts';

const alpha = supplier('alpha');

describe('422 to a finalize, at document_id,', () => {
  it('comes before the upload', async () => {
    const document = await announcedForSubmission(alpha);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
    await put(document);
    documentOf(await finalize(alpha, document));
  });

  it('comes when the upload was cut half-way; a whole one may follow', async () => {
    const document = await announcedForSubmission(alpha, { byte_size: 1_000_000 });
    await putHalf(document);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
    expect((await put(document)).status).toBe(200);
    documentOf(await finalize(alpha, document));
  });

  it.each<[string, Parameters<typeof put>[1]]>([
    ['a byte short', { bytes: Buffer.alloc(1023) }],
    ['a byte long', { bytes: Buffer.alloc(1025) }],
    ['empty', { bytes: Buffer.alloc(0) }],
    ['of another type', { headers: { 'content-type': 'text/csv' } }],
  ])('comes when the upload was %s, which its URL does not admit', async (_, how) => {
    const document = await announcedForSubmission(alpha);
    expect((await put(document, how)).status).toBe(403);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
  });
});
