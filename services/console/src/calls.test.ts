import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { eventually, startTestProcess } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { cookieOf, logIn, testConsole, URL_OF_CONSOLE } from './testing/test-console.ts';
import { startIdentityProvider, type TestIdentityProvider } from './testing/test-identity-provider.ts';

const CALL = '/rpc/submission/supplier.submission.v1.SubmissionService/GetQueues';

let provider: TestIdentityProvider;
let app: FastifyInstance;
let now: number;
/** Requests that the services received, and how they respond. */
const asked: { path: string | undefined; headers: IncomingMessage['headers']; body: string }[] = [];
let answer: (response: ServerResponse) => void;

const service = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  asked.push({ path: request.url, headers: request.headers, body });
  answer(response);
});

beforeEach(async () => {
  provider = await startIdentityProvider();
  if (!service.listening) await once(service.listen(0, '127.0.0.1'), 'listening');
  now = Date.now();
  asked.length = 0;
  answer = (response) =>
    void response.writeHead(200, { 'content-type': 'application/proto', 'x-inner': 'no' }).end('answered');
  app = await testConsole({
    process: startTestProcess('console'),
    provider,
    services: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    // Nothing listens there.
    webhooks: 'http://127.0.0.1:9',
    now: () => now,
  });
});
afterEach(async () => {
  await app.close();
  await provider.close();
});
afterAll(() => void service.close());

const session = async () => cookieOf(await logIn(app, provider), 'console');

const call = (
  cookie: string,
  options: { url?: string; origin?: string; body?: string; person?: string } = {},
) =>
  app.inject({
    method: 'POST',
    url: options.url ?? CALL,
    cookies: { console: cookie },
    headers: {
      origin: options.origin ?? URL_OF_CONSOLE,
      'content-type': 'application/proto',
      'connect-protocol-version': '1',
      'console-person': options.person ?? 'jo',
    },
    payload: options.body ?? 'asked',
  });

describe('call forwarding', () => {
  it("forwards a call with the person's own token and without the browser's cookies", async () => {
    const answered = await call(await session());
    expect([answered.statusCode, answered.body, answered.headers['content-type']]).toEqual([
      200,
      'answered',
      'application/proto',
    ]);
    expect(answered.headers['x-inner']).toBeUndefined();
    const [made] = asked;
    expect(made).toMatchObject({ path: CALL.slice('/rpc/submission'.length), body: 'asked' });
    expect(made?.headers).toMatchObject({
      'content-type': 'application/proto',
      'connect-protocol-version': '1',
    });
    expect(made?.headers.authorization).toMatch(/^Bearer eyJ/);
    expect(made?.headers.cookie).toBeUndefined();
  });

  it('passes on a rejection from the service unchanged', async () => {
    const refusal = JSON.stringify({ code: 'permission_denied', message: 'Only admins may.' });
    answer = (response) => void response.writeHead(403, { 'content-type': 'application/json' }).end(refusal);
    const answered = await call(await session());
    expect([answered.statusCode, answered.body]).toEqual([403, refusal]);
  });

  it('returns its own 403 when the service rejects the token, because logging in again would not help', async () => {
    answer = (response) => void response.writeHead(401).end('{"code":"unauthenticated"}');
    const answered = await call(await session());
    expect([answered.statusCode, answered.json()]).toEqual([
      403,
      {
        code: 'permission_denied',
        message: 'The submission service does not accept your login. Contact your operator.',
      },
    ]);
  });

  it('returns the roles of the token that is newest when the response arrives', async () => {
    provider.token = { seconds: 300, renews: true };
    const cookie = await session();
    const quick = answer;
    const slow = Promise.withResolvers<ServerResponse>();
    answer = slow.resolve;
    const first = call(cookie).then(({ headers }) => headers['console-roles']);
    const response = await slow.promise;
    answer = quick;
    provider.person = { subject: 'jo', roles: ['staff:viewer'] };
    now += 250_000;
    await call(cookie);
    quick(response);
    expect(await first).toBe('staff:viewer');
  });

  it.each([
    [
      'a method for services only',
      '/rpc/submission/supplier.submission.v1.SubmissionService/CreateSubmission',
    ],
    ['a method of another service', '/rpc/billing/supplier.submission.v1.SubmissionService/GetQueues'],
    ['an unknown method', '/rpc/submission/supplier.submission.v1.SubmissionService/Nothing'],
    ['an unknown target', '/rpc/postgres/supplier.submission.v1.SubmissionService/GetQueues'],
    ['a path within a path', '/rpc/submission/supplier.submission.v1.SubmissionService/..%2f..%2fmetrics'],
  ])('does not forward %s', async (_what, url) => {
    expect((await call(await session(), { url })).statusCode).toBe(404);
    expect(asked).toEqual([]);
  });

  it("rejects a call from another site's page, without a session, or with a guessed session", async () => {
    const cookie = await session();
    for (const origin of ['https://elsewhere.example', 'null', `${URL_OF_CONSOLE}.elsewhere.example`])
      expect((await call(cookie, { origin })).statusCode).toBe(403);
    expect((await app.inject({ method: 'POST', url: CALL, cookies: { console: cookie } })).statusCode).toBe(
      403,
    );
    for (const guessed of ['', 'A'.repeat(43), `${cookie}A`])
      expect((await call(guessed)).statusCode).toBe(401);
    expect(asked).toEqual([]);
  });

  it('rejects a body of more than one mebibyte, or of a content type that no service reads', async () => {
    const cookie = await session();
    expect((await call(cookie, { body: 'x'.repeat(1024 * 1024 + 1) })).statusCode).toBe(413);
    const form = await app.inject({
      method: 'POST',
      url: CALL,
      cookies: { console: cookie },
      headers: {
        origin: URL_OF_CONSOLE,
        'content-type': 'application/x-www-form-urlencoded',
        'console-person': 'jo',
      },
      payload: 'a=b',
    });
    expect(form.statusCode).toBe(415);
    expect(asked).toEqual([]);
  });

  it('returns 503 when the service is unavailable', async () => {
    const url = '/rpc/webhook/supplier.webhook.v1.WebhookService/ListEndpoints';
    const answered = await call(await session(), { url });
    expect([answered.statusCode, answered.json()]).toEqual([
      503,
      { code: 'unavailable', message: expect.stringContaining('The webhook service does not answer') },
    ]);
  });

  it('rejects more than 16 concurrent calls of one person to a service, across all their browsers', async () => {
    const [first, second] = [await session(), await session()];
    const held: ServerResponse[] = [];
    answer = (response) => void held.push(response);
    const waiting = Array.from({ length: 16 }, (_, at) => call(at % 2 === 0 ? first : second));
    while (held.length < 16) await new Promise((resolve) => setImmediate(resolve));
    const beyond = await call(second);
    expect([beyond.statusCode, beyond.json()]).toEqual([
      429,
      {
        code: 'resource_exhausted',
        message: 'Too many concurrent calls. Wait for calls in progress, then try again.',
      },
    ]);
    provider.person = { subject: 'sam', roles: ['staff:admin'] };
    const colleague = await session();
    const other = call(colleague, { person: 'sam' });
    while (held.length < 17) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held) response.end();
    expect((await other).statusCode).toBe(200);
    await Promise.all(waiting);
    answer = (response) => void response.end();
    expect((await call(first)).statusCode).toBe(200);
  });

  it('rejects more than 64 concurrent calls to a hanging service, and still forwards calls to other services', async () => {
    const people = ['jo', 'sam', 'kim', 'lee', 'pat'];
    const logins = [];
    for (const subject of people) {
      provider.person = { subject, roles: ['staff:viewer'] };
      logins.push({ cookie: await session(), person: subject });
    }
    const pat = logins.pop()!;
    const held: ServerResponse[] = [];
    answer = (response) => void held.push(response);
    const waiting = logins.flatMap(({ cookie, person }) =>
      Array.from({ length: 16 }, () => call(cookie, { person })),
    );
    while (held.length < 64) await new Promise((resolve) => setImmediate(resolve));
    expect((await call(pat.cookie, { person: 'pat' })).statusCode).toBe(429);
    answer = (response) => void response.end();
    const url = '/rpc/account/supplier.account.v1.AccountService/ListAccounts';
    expect((await call(pat.cookie, { url, person: 'pat' })).statusCode).toBe(200);
    for (const response of held) response.end();
    await Promise.all(waiting);
    expect((await call(pat.cookie, { person: 'pat' })).statusCode).toBe(200);
  });
});

describe('a request with a body', () => {
  /**
   * Sends the head of a request that declares a mebibyte, and 10 bytes of it. Resolves to the status of the response.
   */
  const statusBeforeBody = async (path: string, headers: Record<string, string>) => {
    const { port } = app.server.address() as AddressInfo;
    const sending = request({
      port,
      path,
      method: 'POST',
      headers: { 'content-length': '1048576', ...headers },
    });
    sending.on('error', () => {});
    sending.write('0123456789');
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    sending.destroy();
    return response.statusCode;
  };
  const BROWSER = {
    origin: URL_OF_CONSOLE,
    'content-type': 'application/proto',
    'console-person': 'jo',
  };

  it.each([
    ['without a session', CALL, {}, 401],
    ['with a guessed session', CALL, { cookie: `console=${'A'.repeat(43)}` }, 401],
    ['from another site', CALL, { origin: 'https://elsewhere.example' }, 403],
    ['to an unknown method', `${CALL}Not`, {}, 404],
    ['to an unknown page', '/nothing', { 'content-type': 'application/json' }, 413],
    ['to the logout', '/logout', { 'content-type': 'application/json' }, 413],
  ])('is rejected before its body arrives %s', async (_what, path, headers, status) => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    expect(await statusBeforeBody(path, { ...BROWSER, ...headers })).toBe(status);
  });

  it('is rejected before its body arrives when it names a different person', async () => {
    const cookie = `console=${await session()}`;
    await app.listen({ host: '127.0.0.1', port: 0 });
    expect(await statusBeforeBody(CALL, { ...BROWSER, cookie, 'console-person': 'sam' })).toBe(401);
  });
});

describe('connections', () => {
  it('are closed beyond the limit of their address, until one of them ends', async () => {
    const limited = await testConsole({
      process: startTestProcess('console'),
      provider,
      services: 'http://127.0.0.1:9',
      now: () => now,
      env: { SSS_CONNECTIONS_PER_ADDRESS: '3' },
    });
    await limited.listen({ host: '127.0.0.1', port: 0 });
    const { port } = limited.server.address() as AddressInfo;
    const open = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      }),
    );
    const beyond = connect(port, '127.0.0.1');
    await once(beyond, 'close');
    open[0]?.destroy();
    await eventually('one has ended', async () => (await connections(limited)) === 2);
    const answered = await fetch(`http://127.0.0.1:${port}/session`);
    expect(answered.status).toBe(401);
    for (const socket of open) socket.destroy();
    limited.server.closeAllConnections();
    await limited.close();
  });
});

describe('a caller who disconnects', () => {
  it('frees its slot, even when it disconnects before its token is renewed', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    provider.token = { seconds: 300, renews: true };
    const cookie = await session();
    now += 250_000;
    const { port } = app.server.address() as AddressInfo;
    const renewal = provider.hold();
    const leaving = Array.from({ length: 16 }, () => {
      const leave = new AbortController();
      const made = fetch(`http://127.0.0.1:${port}${CALL}`, {
        method: 'POST',
        headers: {
          cookie: `console=${cookie}`,
          origin: URL_OF_CONSOLE,
          'content-type': 'application/proto',
          'console-person': 'jo',
        },
        body: 'asked',
        signal: leave.signal,
      }).catch(() => {});
      return { leave, made };
    });
    await renewal.asked;
    await eventually('all are connected', async () => (await connections(app)) === 16);
    for (const { leave } of leaving) leave.abort();
    await Promise.all(leaving.map(({ made }) => made));
    await eventually('all are gone', async () => (await connections(app)) === 0);
    renewal.release();
    expect((await call(cookie)).statusCode).toBe(200);
    expect(asked).toHaveLength(1);
  });
});

const connections = ({ server }: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
