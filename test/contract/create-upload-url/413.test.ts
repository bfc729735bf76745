import { upload } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('request an upload URL for a file that is too large', () => {
  it.each([26_214_401, Number.MAX_SAFE_INTEGER])(
    'returns 413 for a file of %s bytes, and states the 25 MiB limit',
    async (byte_size) => {
      const body = upload({ byte_size });
      const answer = await supplier('alpha').call({ method: 'POST', path: UPLOAD_URL_PATH, body });
      expect(refusalOf(answer, 413)).toMatchObject({
        code: 'payload_too_large',
        details: { max_bytes: 26_214_400 },
      });
    },
  );
});
