import { refusalOf } from '../../harness/answers.ts';
import { CREATE_PATH, call } from '../../harness/http.ts';
import { originOf } from '../../harness/suppliers.ts';

describe('401 to a read by reference', () => {
  it.each(['?external_reference=a', '', '?external_reference='])(
    'comes without a credential, before the query "%s" is looked at',
    async (query) => {
      const answer = await call(originOf('sandbox'), { path: `${CREATE_PATH}${query}` });
      expect(refusalOf(answer, 401).code).toBe('unauthorized');
    },
  );
});
