import { randomBytes } from 'node:crypto';
import { type Answer, call } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

const ALLOWED = 6_000;
const SENT = 6_200;
const SENDERS = 64;

const from = (address: string, credential?: string) =>
  call(originOf('sandbox'), {
    path: '/v1/nothing',
    headers: { 'x-forwarded-for': address },
    ...(credential === undefined ? {} : { credential }),
  });

describe('address rate limit', () => {
  it('returns 429 after exactly 6,000 requests of any kind, to every sender at that address', async () => {
    // One IPv6 customer: every request comes from a different address of the same /64.
    const network = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`;
    const answers: Answer[] = [];
    let sent = 0;
    const send = async () => {
      while (sent < SENT) {
        sent += 1;
        answers.push(await from(`${network}::${sent.toString(16)}`));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(ALLOWED);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(SENT - ALLOWED);

    const answer = await from(`${network}::1`, supplier('alpha').credential);
    expect(refusalOf(answer, 429).code).toBe('rate_limited');
    expect(answer.headers['ratelimit-limit']).toBe(String(ALLOWED));
    expect((await from('2001:db8:ffff:ffff::1')).status).toBe(404);
  });
});
