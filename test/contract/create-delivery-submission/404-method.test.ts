import { randomUUID } from 'node:crypto';
import { DELIVERY_PATH } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('delivery contract 404', () => {
  it.each(['GET', 'PUT', 'DELETE'])('returns 404 for %s, with the allowed method', async (method) => {
    const answer = await supplier('alpha').call({ method, path: DELIVERY_PATH });
    refusalOf(answer, 404);
    expect(answer.headers.allow).toBe('POST');
  });

  it('returns 404 for the other v1 operations, which have no v2', async () => {
    const { call } = supplier('alpha');
    refusalOf(await call({ path: `${DELIVERY_PATH}/${randomUUID()}` }), 404);
    const path = `${DELIVERY_PATH}/${randomUUID()}/promotion`;
    refusalOf(await call({ method: 'POST', path, body: {} }), 404);
  });
});
