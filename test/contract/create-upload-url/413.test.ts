import { refusalOf } from '../../harness/answers.ts';
import { upload } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('413 to a request for an upload URL', () => {
  it.each([26_214_401, 1_000_000_000, Number.MAX_SAFE_INTEGER])(
    'comes for a file of %s bytes, and says that 25 MiB is the most',
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
