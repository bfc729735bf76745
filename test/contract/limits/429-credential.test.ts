import { randomUUID } from 'node:crypto';
import { ALL_SCOPES, newAccount } from '../../harness/accounts.ts';
import type { Answer } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';

const limited = (limits: { writesPerMinute?: number; readsPerMinute?: number }) =>
  newAccount({}, ALL_SCOPES, limits);
const atOnce = (times: number, send: () => Promise<Answer>) =>
  Promise.all(Array.from({ length: times }, send));
const ofStatus = (answers: readonly Answer[], status: number) => answers.filter((a) => a.status === status);

describe('credential rate limit', () => {
  it('returns 429 after the default 120 writes and 300 reads a minute, valid or not, counted separately', async () => {
    const api = await (await limited({})).issue();
    const writes = await atOnce(130, () => api.create({}));
    expect(ofStatus(writes, 422)).toHaveLength(120);
    expect(ofStatus(writes, 429)).toHaveLength(10);
    const reads = await atOnce(310, () => api.read(randomUUID()));
    expect(ofStatus(reads, 404)).toHaveLength(300);
    expect(ofStatus(reads, 429)).toHaveLength(10);
  });

  it('states the limit and when to retry', async () => {
    const api = await (await limited({ readsPerMinute: 1 })).issue();
    await api.read(randomUUID());
    const answer = await api.read(randomUUID());
    expect(refusalOf(answer, 429).code).toBe('rate_limited');
    expect(refusalOf(answer, 429)).not.toHaveProperty('details');
    const wait = Number(answer.headers['retry-after']);
    expect(wait).toBeGreaterThan(30);
    expect(wait).toBeLessThanOrEqual(61);
    expect(answer.headers).toMatchObject({ 'ratelimit-limit': '1', 'ratelimit-remaining': '0' });
    const resetIn = Number(answer.headers['ratelimit-reset']) - Date.now() / 1000;
    expect(Math.abs(resetIn - wait)).toBeLessThanOrEqual(2);
  });
});
