import { PublicError } from '../errors/public-error.ts';
import { inProcessLimiter } from '../limits/in-process-limiter.ts';
import { createRequest, type FakeGateway, fakeGateway, SUBMISSION_ID } from '../testing/fake-gateway.ts';
import { sampleBody } from '../testing/sample-body.ts';

const NOW = new Date('2026-11-20T10:00:00.250Z');

/** Creates a gateway with counting limits and a frozen clock. */
function limitedGateway(env: Record<string, string>, overrides: Parameters<typeof fakeGateway>[0] = {}) {
  const check = inProcessLimiter(() => NOW.getTime());
  return fakeGateway({ env, now: NOW, checkLimit: async (limit) => check(limit), ...overrides });
}

const read = { url: `/v1/supplier-submissions/${SUBMISSION_ID}` };
const asHolder = (gateway: FakeGateway) => ({ authorization: `Bearer ${gateway.bearer}` });
const statusesOf = async (times: number, send: () => Promise<{ statusCode: number }>) => {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await send()).statusCode);
  return statuses;
};

describe('429 response', () => {
  it('has the contract’s code, the four headers and the request id', async () => {
    const { app } = limitedGateway({ SSS_ADDRESS_PER_MINUTE: '1' });
    await app.inject('/');
    const answer = await app.inject({ url: '/', headers: { 'x-request-id': 'mine' } });
    expect(answer.statusCode).toBe(429);
    expect(answer.json()).toEqual({ error: { code: 'rate_limited', message: expect.any(String) } });
    // The place is free after 60.75 s, but the wait is capped at the window.
    const reset = Math.ceil(NOW.getTime() / 1000 + 60);
    expect(answer.headers).toMatchObject({
      'retry-after': '60',
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(reset),
      'x-request-id': 'mine',
    });
  });

  it('never asks for a retry in less than a second', async () => {
    const { app } = fakeGateway({ now: NOW, checkLimit: async () => ({ passes: false, retryMs: 1 }) });
    expect((await app.inject('/')).headers['retry-after']).toBe('1');
  });
});

describe('address limit', () => {
  it('counts every request, including unknown paths and failed authentications, before any other check', async () => {
    const gateway = limitedGateway({ SSS_ADDRESS_PER_MINUTE: '3' });
    const { app } = gateway;
    const statuses = [
      (await app.inject('/nowhere')).statusCode,
      (await app.inject(read)).statusCode,
      (await app.inject({ ...read, headers: asHolder(gateway) })).statusCode,
      (await app.inject({ ...read, headers: asHolder(gateway) })).statusCode,
      (await app.inject('/nowhere')).statusCode,
    ];
    expect(statuses).toEqual([404, 401, 200, 429, 429]);
  });

  it('counts and logs URLs that cannot be decoded like any other', async () => {
    const gateway = limitedGateway({ SSS_ADDRESS_PER_MINUTE: '2' });
    const statuses: number[] = [];
    for (const url of ['/%zz', '/v1/supplier-submissions/%ff', '/%']) {
      statuses.push((await gateway.app.inject({ url, headers: { 'x-request-id': 'mine' } })).statusCode);
    }
    expect(statuses).toEqual([404, 404, 429]);
    const lines = gateway.logLines.map((line) => JSON.parse(line));
    expect(lines.map(({ msg, outcome, request_id }) => [msg, outcome, request_id])).toEqual([
      ['request', 'not_found', 'mine'],
      ['request', 'not_found', 'mine'],
      ['request', 'rate_limited', 'mine'],
    ]);
  });

  it('trusts X-Forwarded-For only from trusted proxies', async () => {
    const from = (address: string) => ({ url: '/', headers: { 'x-forwarded-for': address } });
    const open = limitedGateway({ SSS_ADDRESS_PER_MINUTE: '1', SSS_TRUSTED_PROXIES: '127.0.0.0/8' });
    expect((await open.app.inject(from('192.0.2.1'))).statusCode).toBe(404);
    expect((await open.app.inject(from('192.0.2.2'))).statusCode).toBe(404);
    expect((await open.app.inject(from('192.0.2.1'))).statusCode).toBe(429);
    // Entries before the last untrusted address can be forged by the sender.
    expect((await open.app.inject(from('203.0.113.9, 192.0.2.1'))).statusCode).toBe(429);

    const direct = limitedGateway({ SSS_ADDRESS_PER_MINUTE: '1' });
    expect((await direct.app.inject(from('192.0.2.1'))).statusCode).toBe(404);
    expect((await direct.app.inject(from('192.0.2.2'))).statusCode).toBe(429);
  });

  it('applies to the /64 of an IPv6 address', async () => {
    const { app } = limitedGateway({ SSS_ADDRESS_PER_MINUTE: '1' });
    expect((await app.inject({ url: '/', remoteAddress: '2001:db8::1' })).statusCode).toBe(404);
    expect((await app.inject({ url: '/', remoteAddress: '2001:db8::ffff:2' })).statusCode).toBe(429);
    expect((await app.inject({ url: '/', remoteAddress: '2001:db8:0:1::1' })).statusCode).toBe(404);
  });
});

describe('credential limits', () => {
  const env = { SSS_WRITES_PER_MINUTE: '2', SSS_READS_PER_MINUTE: '3' };

  it('count reads and writes separately, from any address', async () => {
    const gateway = limitedGateway(env);
    let sent = 0;
    const create = () =>
      gateway.app.inject({ ...createRequest(gateway, sampleBody()), remoteAddress: `192.0.2.${++sent}` });
    const get = () => gateway.app.inject({ ...read, headers: asHolder(gateway) });
    expect(await statusesOf(3, create)).toEqual([202, 202, 429]);
    expect(await statusesOf(4, get)).toEqual([200, 200, 200, 429]);
    expect(gateway.calls).toHaveLength(5);
  });

  it('use the account’s own limits if it has any', async () => {
    const gateway = limitedGateway(env, { credential: { limits: { readsPerMinute: 1 } } });
    const get = () => gateway.app.inject({ ...read, headers: asHolder(gateway) });
    expect(await statusesOf(2, get)).toEqual([200, 429]);
    const create = () => gateway.app.inject(createRequest(gateway, sampleBody()));
    expect(await statusesOf(3, create)).toEqual([202, 202, 429]);
  });

  it('count forbidden requests, before the scope check', async () => {
    const gateway = limitedGateway(env, { scopes: [] });
    const get = () => gateway.app.inject({ ...read, headers: asHolder(gateway) });
    expect(await statusesOf(4, get)).toEqual([403, 403, 403, 429]);
  });
});

describe('failed-authentication limit', () => {
  const env = { SSS_FAILED_AUTHENTICATIONS: '2' };
  const wrong = { ...read, headers: { authorization: 'Bearer nonsense' } };

  it('returns 429 for the next failure and accepts a valid credential from the same address', async () => {
    const gateway = limitedGateway(env);
    expect(await statusesOf(4, () => gateway.app.inject(wrong))).toEqual([401, 401, 429, 429]);
    expect(await statusesOf(1, () => gateway.app.inject(read))).toEqual([429]);
    const holder = () => gateway.app.inject({ ...read, headers: asHolder(gateway) });
    expect(await statusesOf(3, holder)).toEqual([200, 200, 200]);
    const elsewhere = { ...wrong, remoteAddress: '192.0.2.1' };
    expect(await statusesOf(1, () => gateway.app.inject(elsewhere))).toEqual([401]);
  });

  it('does not count requests that succeed, are forbidden or cannot be looked up', async () => {
    const gateway = limitedGateway(env, { scopes: [] });
    const holder = () => gateway.app.inject({ ...read, headers: asHolder(gateway) });
    expect(await statusesOf(5, holder)).toEqual([403, 403, 403, 403, 403]);
    expect(await statusesOf(1, () => gateway.app.inject(wrong))).toEqual([401]);

    const unavailable = limitedGateway(env, {
      find: async () => {
        throw new PublicError('service_unavailable');
      },
    });
    const send = () => unavailable.app.inject({ ...read, headers: asHolder(unavailable) });
    expect(await statusesOf(4, send)).toEqual([503, 503, 503, 503]);
  });
});
