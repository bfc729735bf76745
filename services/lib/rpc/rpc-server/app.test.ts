import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { AccountService } from '@supplier/proto/account/v1/account';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';

const PATH = '/supplier.account.v1.AccountService/GetAccount';

let server: TestRpcServer<typeof AccountService>;
beforeAll(async () => {
  server = await startTestRpcServer('account', AccountService, (router) =>
    router.service(AccountService, { getAccount: () => ({}) }),
  );
});
afterAll(() => server.close());

/** Sends raw HTTP/1 bytes and returns the status line, headers and body of the response. */
async function exchange(bytes: string): Promise<string> {
  const socket = net.connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
  socket.end(bytes);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'close');
  return answer;
}

it('an RPC server returns 400 to a call over HTTP/1.0 that names no host, and keeps running', async () => {
  const body = 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
  expect(await exchange(`POST ${PATH} HTTP/1.0\r\n${body}`)).toMatch(/^HTTP\/1.1 400 /);
  expect(await exchange(`POST ${PATH} HTTP/1.0\r\nhost: h\r\n${body}`)).toMatch(/^HTTP\/1.1 401 /);
});

it.each([
  ['an unknown path', 'GET', '/nothing', {}, 404],
  ['a path that cannot be decoded', 'GET', '/%zz', {}, 404],
  ['a body on an unknown path', 'POST', '/nothing', { 'content-type': 'text/csv' }, 404],
  ['a content type that is not for RPC', 'POST', PATH, { 'content-type': 'text/csv' }, 415],
  ['a malformed content type', 'POST', PATH, { 'content-type': 'json;;' }, 415],
  ['an HTTP method that is not for calls', 'DELETE', PATH, {}, 405],
])(
  'an RPC server responds to %s like any HTTP server: %s %s',
  async (_what, method, path, headers, status) => {
    const answer = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers,
      body: method === 'POST' ? 'x' : null,
    });
    expect([answer.status, await answer.text()]).toEqual([status, status === 404 ? 'not found\n' : '']);
  },
);

it.each([
  ['/livez', 'ok\n'],
  ['/readyz', 'ok\n'],
])('an RPC server serves %s over HTTP/2 and HTTP/1.1', async (path, text) => {
  expect(await (await fetch(`${server.baseUrl}${path}`)).text()).toBe(text);
  const session = http2.connect(server.h2cUrl);
  const chunks: Buffer[] = [];
  for await (const chunk of session.request({ ':path': path })) chunks.push(chunk);
  session.close();
  expect(Buffer.concat(chunks).toString()).toBe(text);
});
