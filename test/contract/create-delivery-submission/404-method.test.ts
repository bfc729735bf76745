import { randomUUID } from 'node:crypto';
import { refusalOf } from '../../harness/answers.ts';
import { DELIVERY_PATH } from '../../harness/http.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('404 around a create on the delivery contract', () => {
  it.each(['GET', 'PUT', 'DELETE'])('comes for %s, with the method there is', async (method) => {
    const answer = await supplier('alpha').call({ method, path: DELIVERY_PATH });
    refusalOf(answer, 404);
    expect(answer.headers.allow).toBe('POST');
  });

  it('comes for all the rest of the first version: its other operations have no second one', async () => {
    const { call } = supplier('alpha');
    refusalOf(await call({ path: `${DELIVERY_PATH}/${randomUUID()}` }), 404);
    const path = `${DELIVERY_PATH}/${randomUUID()}/promotion`;
    refusalOf(await call({ method: 'POST', path, body: {} }), 404);
  });
});
