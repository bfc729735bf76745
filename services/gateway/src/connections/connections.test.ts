import { once } from 'node:events';
import type { Socket } from 'node:net';
import { inProcessLimiter } from '../limits/in-process-limiter.ts';
import { type Limit, PASSES, type Verdict } from '../limits/limit.ts';
import { fakeGateway } from '../testing/fake-gateway.ts';
import { exchangeRaw, followConnections, openRaw } from '../testing/raw-client.ts';

const LOOPBACK = { SSS_TRUSTED_PROXIES: '127.0.0.0/8' };
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

async function listening(env: Record<string, string>, check: (limit: Limit) => Verdict = inProcessLimiter()) {
  const gateway = fakeGateway({ env, checkLimit: async (limit) => check(limit) });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { server } = gateway.app;
  return { ...gateway, server, ...followConnections(server) };
}

const isAnswered = async (socket: Socket) => {
  const [event] = await Promise.race([
    once(socket, 'data').then(() => ['data']),
    once(socket, 'end').then(() => ['end']),
    once(socket, 'close').then(() => ['close']),
  ]);
  return event === 'data';
};
const statusesIn = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe('connections of one address', () => {
  it('are accepted up to the configured number, and again after one closes', async () => {
    const { app, server, registry, allGone } = await listening({ SSS_CONNECTIONS_PER_ADDRESS: '4' });
    const held = await Promise.all(Array.from({ length: 4 }, () => openRaw(server, GET)));
    expect(await Promise.all(held.map(isAnswered))).toEqual([true, true, true, true]);
    expect(await isAnswered(await openRaw(server, GET))).toBe(false);
    expect(await registry.metrics()).toContain(
      'sss_gateway_connections_closed_total{listener="api",reason="too many connections from address"} 1',
    );
    for (const socket of held) socket.destroy();
    await allGone();
    const next = await openRaw(server, GET);
    expect(await isAnswered(next)).toBe(true);
    next.destroy();
    await app.close();
  });

  it('are not counted for a trusted proxy', async () => {
    const { app, server } = await listening({ ...LOOPBACK, SSS_CONNECTIONS_PER_ADDRESS: '1' });
    const held = await Promise.all(Array.from({ length: 5 }, () => openRaw(server, GET)));
    expect(await Promise.all(held.map(isAnswered))).toEqual(Array(5).fill(true));
    for (const socket of held) socket.destroy();
    await app.close();
  });
});

describe('a repeatedly rate-limited connection', () => {
  it('is closed with the 20th consecutive 429', async () => {
    const { app, server, registry } = await listening({ SSS_ADDRESS_PER_MINUTE: '1' });
    const answers = await exchangeRaw(server, GET.repeat(40));
    expect(statusesIn(answers)).toEqual([404, ...Array(20).fill(429)]);
    expect(answers.match(/\r\nconnection: close\r\n/gi)).toHaveLength(1);
    expect(await registry.metrics()).toContain(
      'sss_gateway_connections_closed_total{listener="api",reason="rate limited"} 1',
    );
    await app.close();
  });

  it('stays open for a trusted proxy', async () => {
    const { app, server } = await listening({ ...LOOPBACK, SSS_ADDRESS_PER_MINUTE: '1' });
    const answers = await exchangeRaw(server, `${GET.repeat(39)}${LAST}`);
    expect(statusesIn(answers)).toEqual([404, ...Array(39).fill(429)]);
    await app.close();
  });

  it('stays open when every 20th request passes', async () => {
    let asked = 0;
    const { app, server } = await listening({}, () => {
      asked += 1;
      return asked % 20 === 0 ? PASSES : { passes: false, retryMs: 1 };
    });
    const answers = await exchangeRaw(server, `${GET.repeat(38)}${LAST}`);
    expect(statusesIn(answers)).toEqual([...Array(19).fill(429), 404, ...Array(19).fill(429)]);
    await app.close();
  });
});

describe('a malformed or CONNECT request', () => {
  it.each([
    ['noise', 'noise\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ])('counts towards the limit of its address: %s', async (_what, bytes, status) => {
    const { app, server } = await listening({ SSS_ADDRESS_PER_MINUTE: '1' });
    expect(statusesIn(await exchangeRaw(server, bytes))).toEqual([status]);
    expect((await app.inject('/')).statusCode).toBe(429);
    await app.close();
  });

  it('gets 429 if it is a CONNECT over the limit', async () => {
    const { app, server } = await listening({ SSS_ADDRESS_PER_MINUTE: '1' });
    await app.inject('/');
    const answer = await exchangeRaw(server, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statusesIn(answer)).toEqual([429]);
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/);
    await app.close();
  });
});
