import { refusalOf } from '../../harness/answers.ts';
import { fullEnquiry, upload } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { created, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('503 to a request for an upload URL', () => {
  it.each([
    ['application/pdf', 'bank_statements', 1],
    ['image/jpeg', 'accounts', 26_214_400],
    ['image/png', 'id', 1024],
    ['text/csv', 'bank_statements', 1024],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'accounts', 1024],
  ])(
    'comes for a valid %s about %s while files cannot be kept',
    async (content_type, category, byte_size) => {
      const body = upload({ content_type, category, byte_size });
      const answer = await alpha.call({ method: 'POST', path: UPLOAD_URL_PATH, body });
      expect(refusalOf(answer, 503).code).toBe('service_unavailable');
    },
  );

  it('comes whether the submission exists yet or not', async () => {
    const { external_reference } = await created(alpha, fullEnquiry());
    const body = upload({ external_reference });
    refusalOf(await alpha.call({ method: 'POST', path: UPLOAD_URL_PATH, body }), 503);
  });
});
