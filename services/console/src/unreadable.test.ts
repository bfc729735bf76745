import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTestProcess } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { cookieOf, testConsole, URL_OF_CONSOLE } from './testing/test-console.ts';
import { startIdentityProvider, type TestIdentityProvider } from './testing/test-identity-provider.ts';

let provider: TestIdentityProvider;
let app: FastifyInstance;
let port: number;
beforeAll(async () => {
  provider = await startIdentityProvider();
  app = await testConsole({
    process: startTestProcess('console'),
    provider,
    services: 'http://127.0.0.1:9',
    now: Date.now,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** Sends these bytes on a connection of their own, and resolves to the response. */
async function answerTo(bytes: string) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(status.split(' ')[1]), headers, body };
}

const HOST = 'Host: console\r\nConnection: close\r\n';
const UNREADABLE = { code: 'invalid_argument', message: 'This request cannot be read.' };

it.each([
  ['that is not HTTP', 'hello\r\n\r\n', 400],
  ['with an unknown method', `BREW / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['with two lengths', `POST /logout HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
  ['with a line end in a header', `GET / HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`, 400],
  ['with too large a head', `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['with too long a target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ['without a host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['for a path that cannot be decoded', `GET /%zz HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['for too long a part of a path', `POST /rpc/${'a'.repeat(200)}/b/c HTTP/1.1\r\n${HOST}\r\n`, 400],
])('a request %s gets the headers and the body of every response', async (_which, bytes, status) => {
  const usual = (await app.inject('/nothing.here')).headers;
  const answer = await answerTo(bytes);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, UNREADABLE]);
  const { date: _date, 'content-length': _length, connection: _connection, ...headers } = usual;
  expect(answer.headers).toMatchObject(headers);
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
});

it('a request that expects something unknown is served with the same headers', async () => {
  const answer = await answerTo(`GET /nothing.here HTTP/1.1\r\n${HOST}Expect: something\r\n\r\n`);
  expect(answer).toMatchObject({ status: 404, headers: { 'x-content-type-options': 'nosniff' } });
});

it.each([
  '/',
  '/submissions',
  '/submissions/some-id?tab=2',
  '/assets/none.js',
  '/session',
  '/logged-out',
  '/robots.txt',
])('HEAD %s has the status and headers of GET, without a body', async (url) => {
  const got = await app.inject({ method: 'GET', url });
  const head = await app.inject({ method: 'HEAD', url });
  expect([head.statusCode, head.body]).toEqual([got.statusCode, '']);
  const nonce = /nonce-[^']*/;
  const rules = ({ headers }: typeof got) => ({
    type: headers['content-type'],
    policy: String(headers['content-security-policy']).replace(nonce, ''),
    cache: headers['cache-control'],
  });
  expect(rules(head)).toEqual(rules(got));
});

it('HEAD does not finish a login, whose code works once', async () => {
  const begun = await app.inject('/login');
  const { pathname, search } = provider.login(String(begun.headers.location));
  const cookies = { 'console-login': cookieOf(begun, 'console-login') };
  const [head, got] = [
    await app.inject({ method: 'HEAD', url: `${pathname}${search}`, cookies }),
    await app.inject({ method: 'GET', url: `${pathname}${search}`, cookies }),
  ];
  expect([cookieOf(head, 'console'), got.statusCode]).toEqual(['', 303]);
});

it.each([
  '/robots.txt',
  '/favicon.ico',
  '/.well-known/security.txt',
  '/.env',
  '/api',
  '/api/users',
  '/api?x',
  '/rpc/submission',
])('%s is not found', async (url) => {
  const { statusCode, headers, body } = await app.inject(url);
  expect([statusCode, JSON.parse(body)]).toEqual([
    404,
    { code: 'not_found', message: 'There is nothing here.' },
  ]);
  expect(headers['content-type']).toMatch(/^application\/json/);
});

it.each(['/', '/find?what=a.b', '/policies/decision/1.2', '/apiary', '/suppliers/a/statements/2026-11'])(
  '%s is the page',
  async (url) => {
    expect((await app.inject(url)).body).toContain('<div id="app">');
  },
);

it.each(['application/connect+proto', 'application/connect+json', 'text/html', 'image/svg+xml', undefined])(
  'a refused stream has its own content type, whatever the request had: %s',
  async (type) => {
    const { headers, body } = await app.inject({
      method: 'POST',
      url: '/rpc/submission/supplier.submission.v1.SubmissionService/WatchQueues',
      headers: { origin: URL_OF_CONSOLE, ...(type === undefined ? {} : { 'content-type': type }) },
    });
    expect(headers['content-type']).toBe('application/connect+proto');
    expect(body).toContain('"code":"unauthenticated"');
  },
);
