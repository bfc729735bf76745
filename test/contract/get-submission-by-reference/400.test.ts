import { CREATE_PATH } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('read by reference with a bad query', () => {
  it.each([
    ['without a query', ''],
    ['with an empty query', '?'],
    ['with another parameter', '?reference=a'],
    ['with the parameter in different case', '?External_Reference=a'],
    ['with the parameter twice', '?external_reference=a&external_reference=b'],
    ['with the parameter twice, with the same value', '?external_reference=a&external_reference=a'],
    ['with the parameter twice, once empty', '?external_reference=a&external_reference='],
    ['with the parameter twice, once encoded', '?external_reference=a&external%5Freference=a'],
  ])('returns 400 %s', async (_, query) => {
    const answer = await supplier('alpha').call({ path: `${CREATE_PATH}${query}` });
    expect(refusalOf(answer, 400).code).toBe('bad_request');
  });
});
