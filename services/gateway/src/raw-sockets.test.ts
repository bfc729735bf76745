import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createLogger } from '@supplier/lib/runtime/log';
import { Registry } from '@supplier/lib/runtime/metrics';
import { listenPrivately } from '@supplier/lib/runtime/service-runtime';
import { buildPages } from './pages/pages-app.ts';
import { fakeGateway } from './testing/fake-gateway.ts';
import { exchangeRaw, followConnections, openRaw, seededNumbers } from './testing/raw-client.ts';

const CONNECT = 'CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const EXPECT =
  'POST /v1/supplier-submissions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n';
const ODD_EXPECTATION = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n';
const TRAILERS =
  'POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3;ext=1\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n';
const NOISE = 'noise\r\n\r\n';
const PIPELINED = `GET /a HTTP/1.1\r\nHost: x\r\n\r\n${CONNECT}`;
/** A connection is reset after every so many bytes. */
const EVERY_BYTES = 4;
const MANY = 10;
const HEADS = 200;
const SLOW_MS = 60_000;

const log = createLogger('test', 'fatal');
const { context } = fakeGateway();
const listeners: [string, () => Promise<{ server: Server; close: () => Promise<unknown> }>][] = [
  ['the API', () => listening(fakeGateway().app)],
  ['the pages', () => listening(buildPages({ ...context, log }))],
  [
    'the private port',
    async () => {
      const what = { log, metrics: new Registry(), ready: () => ({ ready: true }) };
      const server = await listenPrivately(what, { host: '127.0.0.1', port: 0 });
      return { server, close: async () => server.close() };
    },
  ],
];

async function listening(app: ReturnType<typeof buildPages>) {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, close: () => app.close() };
}

describe.each(listeners)('connection to the listener of %s', (name, build) => {
  let server: Server;
  let close: () => Promise<unknown>;
  let allGone: () => Promise<void>;
  beforeAll(async () => {
    ({ server, close } = await build());
    ({ allGone } = followConnections(server));
  });
  afterAll(() => close());

  const stillAnswers = async () => {
    const { port } = server.address() as AddressInfo;
    const headers = { connection: 'close' };
    expect((await fetch(`http://127.0.0.1:${port}/nowhere`, { headers })).status).toBe(404);
  };
  /** Waits until data arrives or the connection ends. */
  const answered = (socket: Socket) =>
    Promise.race(['data', 'end', 'close'].map((event) => once(socket, event)));

  it.each([
    ['CONNECT', CONNECT],
    ['Upgrade', UPGRADE],
    ['Expect', EXPECT],
    ['an unknown expectation', ODD_EXPECTATION],
    ['trailers', TRAILERS],
    ['text that is not HTTP', NOISE],
    ['CONNECT after another request', PIPELINED],
  ])(
    'survives a reset anywhere and during the response: %s',
    async (_what, request) => {
      const starts = Array.from({ length: request.length / EVERY_BYTES }, (_, at) =>
        request.slice(0, at * EVERY_BYTES + 1),
      );
      await Promise.all(starts.map(async (start) => (await openRaw(server, start)).resetAndDestroy()));
      const whole = Array.from({ length: MANY }, async (_, at) => {
        const socket = await openRaw(server, request);
        if (at % 2 === 0) await answered(socket);
        socket.resetAndDestroy();
      });
      await Promise.all(whole);
      await stillAnswers();
      await allGone();
    },
    SLOW_MS,
  );

  it(
    'survives 200 random heads that are whole, truncated, half-closed, reset or held',
    async () => {
      const below = seededNumbers(20_261_121);
      const held: Socket[] = [];
      for (let at = 0; at < HEADS; at += 1) {
        const head = anyHead(below);
        const whole = below(3) > 0;
        const socket = await openRaw(server, whole ? head : head.slice(0, below(head.length) + 1));
        if (below(3) === 0) socket.resetAndDestroy();
        else if (below(2) === 0) socket.end();
        else held.push(socket);
        // The private listener accepts a hundred connections at a time; more would have to wait.
        if (held.length > 50) held.shift()?.destroy();
      }
      await stillAnswers();
      for (const socket of held) socket.destroy();
      await allGone();
    },
    SLOW_MS,
  );

  it(
    'is released even if its sender neither closes nor reads it',
    async () => {
      // Instead of the ten seconds that a head may take.
      server.headersTimeout = 1_000;
      const requests = [CONNECT, NOISE, EXPECT, PIPELINED, 'CONNECT'];
      const held = await Promise.all(
        Array.from({ length: MANY }, (_, at) => openRaw(server, requests[at % requests.length] ?? '')),
      );
      await allGone();
      for (const socket of held) socket.destroy();
      await stillAnswers();
    },
    SLOW_MS,
  );

  it('is released even if its sender keeps writing', async () => {
    const sockets = await Promise.all([openRaw(server, CONNECT), openRaw(server, NOISE)]);
    const writing = setInterval(() => {
      for (const socket of sockets) socket.write('x'.repeat(1024));
    }, 5);
    await allGone().finally(() => clearInterval(writing));
    for (const socket of sockets) socket.destroy();
    await stillAnswers();
  });

  if (name !== 'the private port') {
    it('ends after the single response in flight when a malformed request follows', async () => {
      const answer = await exchangeRaw(server, `GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n${NOISE}`);
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    });
  }
});

const METHODS = ['GET', 'POST', 'CONNECT', 'OPTIONS', 'HEAD', 'PRI', 'M-SEARCH', 'get', '', 'QUERY'];
const TARGETS = ['/', '*', '/v1/supplier-submissions', 'x:1', 'http://a/b', '/%zz', '//', '/\u00ff', '?', ''];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTPS/1.1', ''];
const HEADERS = [
  'Host: x',
  'Host: a b',
  'Connection: upgrade',
  'Connection: close, keep-alive',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Content-Length: 5',
  'Content-Length: 99999999999',
  'Content-Length: -1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Trailer: X-Sum',
  'TE: trailers',
  'Sec-WebSocket-Key: x',
  'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'X-Forwarded-For: nobody',
  'Authorization: Bearer x',
  ' folded',
  'no colon',
  `X-Long: ${'x'.repeat(5_000)}`,
  'X-Nul: \u0000',
];
const BODIES = [
  '',
  '',
  'abcde',
  '5\r\nabcde\r\n0\r\n\r\n',
  '5\r\nabcde\r\n0\r\nX-Sum: 1\r\n\r\n',
  'zz\r\n',
  NOISE,
];

function anyHead(below: (limit: number) => number): string {
  const one = (list: readonly string[]) => list[below(list.length)] ?? '';
  const lines = [`${one(METHODS)} ${one(TARGETS)} ${one(VERSIONS)}`, below(4) > 0 ? 'Host: x' : 'X: y'];
  for (let headers = below(6); headers > 0; headers -= 1) lines.push(one(HEADERS));
  return `${lines.join(below(20) > 0 ? '\r\n' : '\n')}\r\n\r\n${one(BODIES)}`;
}
