import { randomUUID } from 'node:crypto';
import { CREATE_PATH, call, someAddress } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

const ALLOWED = 10;
const alpha = supplier('alpha');
const path = `${CREATE_PATH}/${randomUUID()}`;

const readFrom = (address: string, authorization?: string) =>
  call(originOf('sandbox'), { path, headers: { 'x-forwarded-for': address, authorization } });

describe('failed authentication rate limit', () => {
  it('returns 429 after ten from one address, while a valid credential still works from that address', async () => {
    const address = someAddress();
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, i) => readFrom(address, i % 2 ? 'Bearer nonsense' : undefined)),
    );
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(ALLOWED);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(20);

    const answer = await readFrom(address, 'Bearer nonsense');
    expect(refusalOf(answer, 429).code).toBe('rate_limited');
    expect(answer.headers['ratelimit-limit']).toBe(String(ALLOWED));
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(200);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(305);

    expect((await readFrom(address, `Bearer ${alpha.credential}`)).status).toBe(404);
    expect((await readFrom(someAddress(), 'Bearer nonsense')).status).toBe(401);
  });
});
