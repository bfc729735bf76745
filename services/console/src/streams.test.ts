import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { cookieOf, logIn, testConsole, URL_OF_CONSOLE } from './testing/test-console.ts';
import { startIdentityProvider, type TestIdentityProvider } from './testing/test-identity-provider.ts';

const METHODS = '/rpc/submission/supplier.submission.v1.SubmissionService';

let provider: TestIdentityProvider;
let process: TestProcess;
let app: FastifyInstance;
let at: string;
let now: number;
/** Streams opened at the service. Unary calls are answered immediately. */
const open: ServerResponse[] = [];

const service = createServer((request, response) => {
  if (!request.url?.includes('Watch')) return void response.end('answered');
  open.push(response);
  response.writeHead(200, { 'content-type': 'application/connect+proto' }).write('first');
});

beforeEach(async () => {
  provider = await startIdentityProvider();
  if (!service.listening) await once(service.listen(0, '127.0.0.1'), 'listening');
  const target = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  now = Date.now();
  open.length = 0;
  process = startTestProcess('console');
  app = await testConsole({
    process,
    provider,
    services: target,
    now: () => now,
    env: { SSS_CONNECTIONS_PER_ADDRESS: '1000' },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  at = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const response of open) response.destroy();
  await process.stop();
  app.server.closeAllConnections();
  await app.close();
  await provider.close();
});
afterAll(() => void service.close());

const session = async () => cookieOf(await logIn(app, provider), 'console');

const headersOf = (cookie: string) => ({
  cookie: `console=${cookie}`,
  origin: URL_OF_CONSOLE,
  'content-type': 'application/connect+proto',
  'console-person': provider.person.subject,
  'console-active': '1',
});
const call = (cookie: string, method: string, signal?: AbortSignal) =>
  fetch(`${at}${METHODS}/${method}`, {
    method: 'POST',
    headers: headersOf(cookie),
    body: 'asked',
    ...(signal && { signal }),
  });

/** Opens a stream and reads its first message. */
async function watching(cookie: string, signal?: AbortSignal) {
  const { body } = await call(cookie, 'WatchQueues', signal);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  expect(await reader.read()).toEqual({ done: false, value: 'first' });
  return reader;
}

describe('a stream', () => {
  it('is forwarded as messages arrive, and ends when the service ends it', async () => {
    const reader = await watching(await session());
    open[0]!.write('second');
    expect(await reader.read()).toEqual({ done: false, value: 'second' });
    open[0]!.end();
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it('ends immediately when its person logs out in any browser', async () => {
    const [here, there] = [await session(), await session()];
    const reader = await watching(here);
    const closed = once(open[0]!, 'close');
    await fetch(`${at}/logout`, { method: 'POST', headers: headersOf(there) });
    await expect(reader.read()).rejects.toThrow();
    await closed;
    // Rejected in the format that services use for streams.
    const refused = await call(here, 'WatchQueues');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([200, 'application/connect+proto']);
    const answer = Buffer.from(await refused.arrayBuffer());
    expect([answer.readUInt8(), answer.readUInt32BE(1)]).toEqual([2, answer.length - 5]);
    expect(JSON.parse(answer.toString('utf8', 5))).toMatchObject({ error: { code: 'unauthenticated' } });
  });

  it('continues when another person logs out', async () => {
    const reader = await watching(await session());
    provider.person = { subject: 'sam', roles: ['staff:viewer'] };
    const other = await session();
    await fetch(`${at}/logout`, { method: 'POST', headers: headersOf(other) });
    open[0]!.write('second');
    expect(await reader.read()).toEqual({ done: false, value: 'second' });
  });

  it('ends when its session expires', async () => {
    provider.token = { seconds: 86_400, renews: false };
    const cookie = await session();
    // Used every hour until just before the end of the eighth.
    for (let passed = 0; passed < 8; passed += 1) {
      await call(cookie, 'GetQueues');
      now += 3_599_900;
    }
    const reader = await watching(cookie);
    await expect(reader.read()).rejects.toThrow();
  });

  it('ends immediately when the console stops', async () => {
    const reader = await watching(await session());
    void process.stop();
    await expect(reader.read()).rejects.toThrow();
  });

  it('ends at the service when its browser disconnects', async () => {
    const leave = new AbortController();
    await watching(await session(), leave.signal);
    const closed = once(open[0]!, 'close');
    leave.abort();
    await closed;
  });

  it('is rejected beyond 50 streams per person, until one of them ends', async () => {
    const cookies = [await session(), await session()];
    const leave = new AbortController();
    await watching(cookies[0]!, leave.signal);
    await Promise.all(Array.from({ length: 49 }, (_, at) => watching(cookies[at % 2]!)));
    const beyond = await (await call(cookies[1]!, 'WatchQueues')).text();
    expect(beyond).toContain('"code":"resource_exhausted"');
    leave.abort();
    await eventually('a place is free', async () => {
      const control = new AbortController();
      const { body } = await call(cookies[1]!, 'WatchQueues', control.signal);
      const { value } = await body!.pipeThrough(new TextDecoderStream()).getReader().read();
      control.abort();
      return value === 'first';
    });
  });

  it('is rejected beyond 500 streams to a service, while calls are still forwarded', async () => {
    let cookie = '';
    for (let count = 0; count < 500; count += 50) {
      provider.person = { subject: `watching-${count}`, roles: ['staff:viewer'] };
      cookie = await session();
      await Promise.all(Array.from({ length: 50 }, () => watching(cookie)));
    }
    expect(await (await call(cookie, 'WatchQueues')).text()).toContain('"code":"resource_exhausted"');
    expect((await call(cookie, 'GetQueues')).status).toBe(200);
  });

  it('does not use up the connections for calls', async () => {
    for (const subject of ['jo', 'sam']) {
      provider.person = { subject, roles: ['staff:viewer'] };
      const cookie = await session();
      await Promise.all(Array.from({ length: 45 }, () => watching(cookie)));
    }
    expect((await call(await session(), 'GetQueues')).status).toBe(200);
  });
});
