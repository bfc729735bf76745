import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createRequest, type FakeGateway, fakeGateway, SUBMISSION_ID } from './testing/fake-gateway.ts';
import { exchangeRaw } from './testing/raw-client.ts';
import { sampleBody } from './testing/sample-body.ts';

let gateway: FakeGateway;

beforeAll(async () => {
  gateway = fakeGateway();
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => gateway.app.close());

/** Sends raw bytes and returns everything received until the connection ends. */
const exchange = (...parts: (string | Buffer)[]) => exchangeRaw(gateway.app.server, ...parts);

const path = `/v1/supplier-submissions/${SUBMISSION_ID}`;
const head = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;
const last = ['Host: x', 'Connection: close'];
const bearer = () => `Authorization: Bearer ${gateway.bearer}`;
const ENDS = /\r\nconnection: close\r\n/i;
const statusesIn = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const REQUEST_ID = /\r\nx-request-id: [0-9a-f-]{36}\r\n/i;

describe('unusual request', () => {
  it.each([
    ['noise', 'noise\r\n\r\n'],
    ['headers beyond 16 KiB', head('GET / HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(17_000)}`)],
    ['two body lengths', head('POST / HTTP/1.1', ...last, 'Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['a header folded over two lines', 'GET / HTTP/1.1\r\nHost: x\r\n y: z\r\n\r\n'],
  ])('gets the contract’s 400 with a request id if malformed: %s', async (_what, bytes) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(REQUEST_ID);
    expect(answer).toMatch(/\r\n\r\n\{"error":\{"code":"bad_request","message":"[^"]+"\}\}$/);
  });

  it.each(['HTTP/1.0', 'HTTP/1.1'])('gets 400 if the Host is missing, by %s', async (version) => {
    const answer = await exchange(head(`GET / ${version}`, 'X-Request-Id: mine'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nx-request-id: mine\r\n/i);
    expect(answer).toMatch(
      /\r\n\r\n\{"error":\{"code":"bad_request","message":"The Host header is missing."\}\}$/,
    );
  });

  it('gets no 400 if it is valid', async () => {
    expect(await exchange(head('GET / HTTP/1.0', 'Host: x'))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await exchange(head('PROPFIND / HTTP/1.1', ...last))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await exchange(head('QUERY / HTTP/1.1', ...last))).toMatch(/^HTTP\/1\.1 404 /);
    const expectation = await exchange(head('GET / HTTP/1.1', ...last, 'Expect: something'));
    expect(expectation).toMatch(/^HTTP\/1\.1 404 /);
    const tunnel = await exchange(head('CONNECT example.test:443 HTTP/1.1', 'Host: x'));
    expect(tunnel).toMatch(/^HTTP\/1\.1 404 /);
    for (const answer of [expectation, tunnel]) expect(answer).toMatch(REQUEST_ID);
  });
});

describe('protocol upgrade offer', () => {
  it('is declined with a normal response, even with a body, and closes the connection', async () => {
    const body = JSON.stringify(sampleBody());
    const create = head(
      'POST /v1/supplier-submissions HTTP/1.1',
      'Host: x',
      bearer(),
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    );
    const answer = await exchange(`${create}${body}${head('GET / HTTP/1.1', 'Host: x')}`);
    expect(statusesIn(answer)).toEqual([202]);
    expect(answer).toMatch(ENDS);
  });
});

describe('request with ambiguous framing', () => {
  const post = 'POST /v1/supplier-submissions HTTP/1.1';
  it.each([
    ['two hosts', head('GET / HTTP/1.1', 'Host: a', 'Host: a')],
    ['two hosts, by HTTP/1.0', head('GET / HTTP/1.0', 'Host: a', 'Host: b')],
    ['an empty host', head('GET / HTTP/1.1', 'Host:')],
    ['a host with a path', head('GET / HTTP/1.1', 'Host: a/b')],
    ['a host with a user', head('GET / HTTP/1.1', 'Host: a@b')],
    ['a host of two words', head('GET / HTTP/1.1', 'Host: a b')],
    ['an invalid port', head('GET / HTTP/1.1', 'Host: a:b')],
    ['an open bracket', head('GET / HTTP/1.1', 'Host: [::1')],
    ['chunks by HTTP/1.0', `${head('POST / HTTP/1.0', 'Host: x', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['chunked and another encoding', `${head(post, 'Host: x', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
    [
      'chunks twice',
      `${head(post, 'Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['no chunks', head(post, 'Host: x', 'Transfer-Encoding: identity')],
    ['a length after chunks', head(post, 'Host: x', 'Transfer-Encoding: chunked', 'Content-Length: 5')],
    ['chunks after a length', head(post, 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['two lengths', head(post, 'Host: x', 'Content-Length: 5', 'Content-Length: 5')],
  ])('is rejected with 400, and nothing after it is read: %s', async (_what, bytes) => {
    const answer = await exchange(`${bytes}${head('GET / HTTP/1.1', ...last)}`);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toMatch(ENDS);
    expect(answer).toMatch(REQUEST_ID);
  });

  it.each(['x', 'api.example.test', 'api.example.test:8443', '127.0.0.1:80', '[::1]:80', '_a-b.c'])(
    'gets no 400 for the valid host %s',
    async (host) => {
      const answer = await exchange(head('GET / HTTP/1.1', `Host: ${host}`, 'Connection: close'));
      expect(statusesIn(answer)).toEqual([404]);
    },
  );
});

describe('duplicate headers', () => {
  it('are rejected if they affect handling: Authorization with 401, Content-Type with 400', async () => {
    expect(await exchange(head(`GET ${path} HTTP/1.1`, ...last, bearer()))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(head(`GET ${path} HTTP/1.1`, ...last, bearer(), bearer()))).toMatch(
      /^HTTP\/1\.1 401 /,
    );
    const body = JSON.stringify(sampleBody());
    const types = ['Content-Type: application/json', 'content-type: application/json'];
    const create = (...headers: string[]) =>
      head(
        'POST /v1/supplier-submissions HTTP/1.1',
        ...last,
        bearer(),
        `Content-Length: ${body.length}`,
        ...headers,
      ) + body;
    expect(await exchange(create(...types.slice(1)))).toMatch(/^HTTP\/1\.1 202 /);
    const twice = await exchange(create(...types));
    expect(twice).toMatch(/^HTTP\/1\.1 400 /);
    expect(twice).toContain('"message":"Send exactly one Content-Type header."');
  });

  it('are replaced if they only identify: X-Request-Id', async () => {
    const answer = await exchange(head('GET / HTTP/1.1', ...last, 'X-Request-Id: a', 'X-Request-Id: b'));
    expect(answer).toMatch(REQUEST_ID);
  });
});

describe('bodies on the wire', () => {
  const chunked = () =>
    head(
      'POST /v1/supplier-submissions HTTP/1.1',
      'Host: x',
      bearer(),
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const end = '0\r\n\r\n';
  const next = head('GET / HTTP/1.1', ...last);

  it('can be chunked without a length', async () => {
    const body = JSON.stringify(sampleBody());
    const answer = await exchange(chunked(), chunk(body.slice(0, 99)), chunk(body.slice(99)), end, next);
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
  });

  it('get 413 when the chunks exceed the maximum, and the connection closes', async () => {
    const answer = await exchange(chunked(), ...Array(40).fill(chunk(' '.repeat(8192))), end, next);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"details":{"max_bytes":65536}');
    expect(answer).toMatch(ENDS);
    expect(statusesIn(answer)).toEqual([413]);
  });

  it('get 413 by their declared length and are read only up to a limit', async () => {
    const { headers } = createRequest(gateway, '');
    const size = 300_000_000;
    const first = head(
      'POST /v1/supplier-submissions HTTP/1.1',
      'Host: x',
      `Authorization: ${headers.authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${size}`,
    );
    const { server } = gateway.app;
    const taken = once(server, 'connection') as Promise<[Socket]>;
    const answered = exchange(first, ...Array<Buffer>(size / 1_000_000).fill(Buffer.alloc(1_000_000, ' ')));
    const [socket] = await taken;
    const closed = once(socket, 'close');
    expect(statusesIn(await answered)).toEqual([413]);
    await closed;
    expect(socket.bytesRead).toBeLessThan(1_000_000);
  });

  it('are not awaited when the credential is missing', async () => {
    const first = head('POST /v1/supplier-submissions HTTP/1.1', ...last, 'Content-Length: 100000');
    expect(await exchange(first)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each(['/nowhere', '/v1/supplier-submissions'])(
    'get one error and a closed connection if they never arrive: POST %s',
    async (target) => {
      const answer = await exchange(head(`POST ${target} HTTP/1.1`, 'Host: x', 'Content-Length: 100'));
      expect(answer).toMatch(ENDS);
      expect(statusesIn(answer)).toHaveLength(1);
    },
  );

  it('are discarded after a refused request, and the connection stays open', async () => {
    const refused = `${head('POST /nowhere HTTP/1.1', 'Host: x', 'Content-Length: 4')}{"a"`;
    const answer = await exchange(refused, next);
    expect(statusesIn(answer)).toEqual([404, 404]);
  });

  it('are invited by 100 Continue only when they are about to be read', async () => {
    const body = JSON.stringify(sampleBody());
    const create = (...headers: string[]) =>
      head(
        'POST /v1/supplier-submissions HTTP/1.1',
        ...last,
        'Content-Type: application/json',
        'Expect: 100-continue',
        ...headers,
      );
    const withLength = `Content-Length: ${body.length}`;
    expect(statusesIn(await exchange(create(bearer(), withLength), body))).toEqual([100, 202]);
    expect(statusesIn(await exchange(create(withLength)))).toEqual([401]);
    expect(statusesIn(await exchange(create(bearer(), 'Content-Length: 70000')))).toEqual([413]);
    expect(statusesIn(await exchange(create(bearer(), withLength, 'Content-Encoding: gzip')))).toEqual([400]);
    const elsewhere = head('POST /nowhere HTTP/1.1', ...last, 'Expect: 100-continue', withLength);
    expect(statusesIn(await exchange(elsewhere))).toEqual([404]);
  });

  it('get 400 when they break off in a chunk', async () => {
    const answer = await exchange(chunked(), chunk('{'), 'zz\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(REQUEST_ID);
  });
});

describe('app.close', () => {
  it('finishes requests in flight without the framework’s own error response', async () => {
    const other = fakeGateway();
    const { answer } = other;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started = () => {};
    const working = new Promise<void>((resolve) => {
      started = resolve;
    });
    other.answer = async (call) => {
      started();
      await held;
      return answer(call);
    };
    const url = await other.app.listen({ host: '127.0.0.1', port: 0 });
    const { method, headers, payload } = createRequest(other, JSON.stringify(sampleBody()));
    const request = fetch(`${url}/v1/supplier-submissions`, { method, headers, body: String(payload) });
    await working;
    const closed = other.app.close();
    release();
    expect((await request).status).toBe(202);
    await closed;
    await expect(fetch(url)).rejects.toThrow();
  });
});
