import { CREATE_PATH, call } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { originOf } from '../../harness/suppliers.ts';

describe('read by reference without a credential', () => {
  it.each(['?external_reference=a', '', '?external_reference='])(
    'returns 401 before it validates the query "%s"',
    async (query) => {
      const answer = await call(originOf('sandbox'), { path: `${CREATE_PATH}${query}` });
      expect(refusalOf(answer, 401).code).toBe('unauthorized');
    },
  );
});
