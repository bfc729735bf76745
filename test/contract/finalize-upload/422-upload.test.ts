import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { documentOf, finalize, put, putHalf, requestSubmissionUpload } from '../../harness/uploads.ts';

const alpha = supplier('alpha');

describe('finalize 422 at document_id', () => {
  it('returns 422 when the upload was interrupted, and accepts a complete upload afterwards', async () => {
    const document = await requestSubmissionUpload(alpha, { byte_size: 1_000_000 });
    await putHalf(document);
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
    expect((await put(document)).status).toBe(200);
    documentOf(await finalize(alpha, document));
  });
});
