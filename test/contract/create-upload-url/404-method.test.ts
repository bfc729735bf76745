import { CREATE_PATH, FINALIZE_PATH, UPLOAD_URL_PATH } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('document operations 404', () => {
  it.each(['GET', 'PUT', 'DELETE'])('returns 404 for %s, with the allowed method', async (method) => {
    for (const path of [UPLOAD_URL_PATH, FINALIZE_PATH]) {
      const answer = await supplier('alpha').call({ method, path });
      refusalOf(answer, 404);
      expect(answer.headers.allow).toBe('POST');
    }
  });

  it.each([`${CREATE_PATH}/documents/other`, `${UPLOAD_URL_PATH}/`, `${CREATE_PATH}/documents//finalize`])(
    'returns 404 for POST %s',
    async (path) => {
      refusalOf(await supplier('alpha').call({ method: 'POST', path, body: {} }), 404);
    },
  );
});
