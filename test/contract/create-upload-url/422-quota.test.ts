import { newSupplier } from '../../harness/accounts.ts';
import { newReference, upload } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { requestUpload } from '../../harness/uploads.ts';

describe('request an upload URL over the quota', () => {
  it('returns 422 for the 21st document of a reference, even among concurrent requests, until one is deleted', async () => {
    const api = await newSupplier();
    const external_reference = newReference();
    const ask = () =>
      api.call({ method: 'POST', path: UPLOAD_URL_PATH, body: upload({ external_reference }) });
    const [first] = [await requestUpload(api, { external_reference })];
    const answers = await Promise.all(Array.from({ length: 49 }, ask));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(pathsOf(answer)).toEqual(['external_reference']);

    await requestUpload(api);
    await staff.document().deleteDocument({ documentId: first.documentId });
    await requestUpload(api, { external_reference });
    expect(pathsOf(await ask())).toEqual(['external_reference']);
  });
});
