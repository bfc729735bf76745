import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from '@supplier/lib/metrics';
import { eventually, startTestProcess } from '@supplier/lib/testing';
import { tlsConnector } from '@supplier/lib/tls';
import type { FastifyInstance } from 'fastify';
import { buildConsole } from './app.ts';
import { readConfig } from './config.ts';
import { startIdentityProvider, type TestIdentityProvider } from './testing/identity-provider.ts';

const URL_OF_CONSOLE = 'http://127.0.0.1:8083';
const CALL = '/rpc/submission/supplier.submission.v1.SubmissionService/GetQueues';

let provider: TestIdentityProvider;
let app: FastifyInstance;
let now: number;
/** What the services were asked, and how they answer. */
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
  const at = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const config = readConfig({
    SSS_DEPLOYMENT: 'local',
    SSS_HTTP_PORT: '1',
    SSS_PRIVATE_PORT: '2',
    SSS_CONSOLE_URL: URL_OF_CONSOLE,
    SSS_OIDC_ISSUER_URL: provider.url,
    SSS_OIDC_CLIENT_ID: 'console',
    SSS_ACCOUNT_URL: at,
    SSS_SUBMISSION_URL: at,
    SSS_DOCUMENT_URL: at,
    SSS_BILLING_URL: at,
    // Nobody is there.
    SSS_WEBHOOK_URL: 'http://127.0.0.1:9',
  });
  const { log, stopping } = startTestProcess('console');
  app = buildConsole({
    config,
    log,
    metrics: new Registry(),
    connect: tlsConnector(config.tls, log, 500),
    pages: new URL('../web/', import.meta.url),
    stopping,
    now: () => now,
  });
});
afterEach(async () => {
  await app.close();
  await provider.close();
});
afterAll(() => void service.close());

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>;
const cookieOf = (from: Answer, name: string) =>
  from.cookies.find((cookie) => cookie.name === name && cookie.value !== '')?.value ?? '';

/** Logs in; resolves to the answer that ends it. */
async function logIn(path = '/'): Promise<Answer> {
  const begun = await app.inject({ url: '/login', query: { path } });
  const back = provider.login(String(begun.headers.location));
  return app.inject({
    url: `${back.pathname}${back.search}`,
    cookies: { 'console-login': cookieOf(begun, 'console-login') },
  });
}
const session = async () => cookieOf(await logIn(), 'console');

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

describe('the login', () => {
  it('leads through the identity provider to the screen that was asked for, and keeps tokens from the browser', async () => {
    const begun = await app.inject({ url: '/login' });
    expect(Object.fromEntries(new URL(String(begun.headers.location)).searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid',
    });
    const ended = await logIn('/submissions?queue=1');
    expect([ended.statusCode, ended.headers.location]).toEqual([303, '/submissions?queue=1']);
    expect(ended.cookies.find(({ name }) => name === 'console')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    });
    const who = await app.inject({ url: '/session', cookies: { console: cookieOf(ended, 'console') } });
    expect(who.json()).toEqual({ subject: 'jo', roles: ['staff:operator'], endsAt: expect.any(String) });
    expect(`${who.body}${JSON.stringify(ended.headers)}`).not.toContain('eyJ');
  });

  it.each([
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example',
    '/.//elsewhere.example',
    'javascript:alert(1)',
  ])('leads to no other place: %s', async (path) => {
    expect((await logIn(path)).headers.location).toBe('/');
  });

  it('takes an answer once, in the browser that asked, for the login that it began', async () => {
    const begun = await app.inject({ url: '/login' });
    const back = provider.login(String(begun.headers.location));
    const url = `${back.pathname}${back.search}`;
    const cookies = { 'console-login': cookieOf(begun, 'console-login') };
    expect((await app.inject({ url })).statusCode).toBe(400);
    const other = await app.inject({ url: '/login' });
    const foreign = await app.inject({ url, cookies: { 'console-login': cookieOf(other, 'console-login') } });
    expect([foreign.statusCode, cookieOf(foreign, 'console')]).toEqual([400, '']);
    now += 601_000;
    expect((await app.inject({ url, cookies })).statusCode).toBe(400);
    now -= 601_000;
    expect((await app.inject({ url, cookies })).statusCode).toBe(303);
    expect((await app.inject({ url, cookies })).statusCode).toBe(400);
  });

  it('lets nobody in who has no role of staff, whatever the token says instead', async () => {
    for (const roles of [undefined, [], ['service:gateway', 'admin', 7], 'owner']) {
      provider.person = { subject: 'mallory', roles };
      const ended = await logIn();
      expect([ended.statusCode, cookieOf(ended, 'console')]).toEqual([403, '']);
    }
  });

  it('says that the identity provider is away, and works once it is back', async () => {
    provider.isAway = true;
    expect((await app.inject({ url: '/login' })).statusCode).toBe(503);
    provider.isAway = false;
    expect((await logIn()).statusCode).toBe(303);
  });
});

describe('a session', () => {
  it('is over without a call for an hour, and after eight in any case', async () => {
    const cookie = await session();
    now += 59 * 60_000;
    // The token of an hour is still good for a minute.
    expect((await call(cookie)).statusCode).toBe(200);
    provider.token = { seconds: 86_400, renews: false };
    const long = await session();
    for (let passed = 0; passed < 8; passed += 1) {
      now += 59 * 60_000;
      expect((await call(long)).statusCode).toBe(200);
    }
    now += 9 * 60_000;
    expect((await call(long)).statusCode).toBe(401);
    const idle = await session();
    now += 60 * 60_000;
    expect((await app.inject({ url: '/session', cookies: { console: idle } })).statusCode).toBe(401);
  });

  it('renews a token that is nearly over once for all calls of a moment, and ends with one that is not renewed', async () => {
    provider.token = { seconds: 300, renews: true };
    const cookie = await session();
    now += 250_000;
    const answers = await Promise.all([call(cookie), call(cookie), call(cookie)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(provider.renewals).toHaveLength(1);
    for (const renews of [false, true]) {
      provider.token = { seconds: 300, renews };
      const other = await session();
      provider.token = { seconds: 300, renews: false };
      now += 301_000;
      expect((await call(other)).statusCode).toBe(401);
    }
  });

  it('outlasts an identity provider that is away when its token ends', async () => {
    provider.token = { seconds: 300, renews: true };
    const cookie = await session();
    provider.isAway = true;
    now += 250_000;
    expect((await call(cookie)).statusCode).toBe(200);
    now += 60_000;
    expect((await call(cookie)).statusCode).toBe(503);
    provider.isAway = false;
    expect((await call(cookie)).statusCode).toBe(200);
  });

  it('is over for a page whose reader somebody else has followed in the same browser', async () => {
    const cookie = await session();
    expect((await call(cookie, { person: 'sam' })).statusCode).toBe(401);
    expect((await call(cookie)).statusCode).toBe(200);
    expect(asked).toHaveLength(1);
  });

  it('ends everywhere when its person logs out, and for nobody else', async () => {
    const [here, there] = [await session(), await session()];
    provider.person = { subject: 'sam', roles: ['staff:viewer'] };
    const other = await session();
    const out = await app.inject({
      method: 'POST',
      url: '/logout',
      cookies: { console: here },
      headers: { origin: URL_OF_CONSOLE },
    });
    expect(out.statusCode).toBe(204);
    for (const ended of [here, there]) expect((await call(ended)).statusCode).toBe(401);
    expect((await call(other, { person: 'sam' })).statusCode).toBe(200);
    // The page after it logs nobody in by itself, and its login asks who somebody is.
    expect((await app.inject('/logged-out')).body).toContain('href="/login?again"');
    expect((await app.inject('/login?again')).headers.location).toContain('prompt=login');
  });

  it('is kept for ten browsers of a person', async () => {
    const first = await session();
    for (let more = 0; more < 10; more += 1) {
      now += 1_000;
      await session();
    }
    expect((await call(first)).statusCode).toBe(401);
  });
});

describe('a call', () => {
  it("is made with the person's own token, and without what the browser knows", async () => {
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

  it('gets a refusal of the service as it is', async () => {
    const refusal = JSON.stringify({ code: 'permission_denied', message: 'Only admins may.' });
    answer = (response) => void response.writeHead(403, { 'content-type': 'application/json' }).end(refusal);
    const answered = await call(await session());
    expect([answered.statusCode, answered.body]).toEqual([403, refusal]);
  });

  it.each([
    [
      'a method of services alone',
      '/rpc/submission/supplier.submission.v1.SubmissionService/CreateSubmission',
    ],
    ['a method of another service', '/rpc/billing/supplier.submission.v1.SubmissionService/GetQueues'],
    ['an unknown method', '/rpc/submission/supplier.submission.v1.SubmissionService/Nothing'],
    ['an unknown target', '/rpc/postgres/supplier.submission.v1.SubmissionService/GetQueues'],
    ['a path within a path', '/rpc/submission/supplier.submission.v1.SubmissionService/..%2f..%2fmetrics'],
  ])('is not made for %s', async (_what, url) => {
    expect((await call(await session(), { url })).statusCode).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is not made from a page of another site, without a session, or for a guessed one', async () => {
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

  it('is not made with more than a mebibyte, or in a form that no service reads', async () => {
    const cookie = await session();
    expect((await call(cookie, { body: 'x'.repeat(1024 * 1024 + 1) })).statusCode).toBe(413);
    const form = await app.inject({
      method: 'POST',
      url: CALL,
      cookies: { console: cookie },
      headers: { origin: URL_OF_CONSOLE, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a=b',
    });
    expect(form.statusCode).toBe(415);
    expect(asked).toEqual([]);
  });

  it('is answered by the console where the service is away', async () => {
    const url = '/rpc/webhook/supplier.webhook.v1.WebhookService/ListEndpoints';
    const answered = await call(await session(), { url });
    expect([answered.statusCode, answered.json()]).toEqual([
      503,
      { code: 'unavailable', message: expect.stringContaining('The webhook service does not answer') },
    ]);
  });

  it('is refused beyond 32 of a session, and the places are free again', async () => {
    const cookie = await session();
    const held: ServerResponse[] = [];
    answer = (response) => void held.push(response);
    const waiting = Array.from({ length: 32 }, () => call(cookie));
    while (held.length < 32) await new Promise((resolve) => setImmediate(resolve));
    expect((await call(cookie)).statusCode).toBe(429);
    for (const response of held) response.end();
    await Promise.all(waiting);
    held.length = 0;
    answer = (response) => void response.end();
    expect((await call(cookie)).statusCode).toBe(200);
  });
});

describe('a caller who leaves', () => {
  it('gives back their place, also one who leaves before their token is renewed', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    provider.token = { seconds: 300, renews: true };
    const cookie = await session();
    now += 250_000;
    const { port } = app.server.address() as AddressInfo;
    const renewal = provider.hold();
    const leaving = Array.from({ length: 32 }, () => {
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
    await eventually('all are connected', async () => (await connections(app)) === 32);
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

describe('a page', () => {
  it('runs scripts of the console alone, in no frame, and is kept by nobody', async () => {
    const { headers } = await app.inject({ url: '/submissions/some-id', headers: { accept: 'text/html' } });
    const policy = String(headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('is the same for every screen, and nothing beside the built files is served', async () => {
    for (const url of ['/', '/submissions', '/find?what=x'])
      expect((await app.inject({ url })).body).toContain('<div id="app">');
    expect((await app.inject({ url: '/assets/none.js' })).headers['cache-control']).toBe('no-store');
    for (const url of ['/assets/none.js', '/assets/../../package.json', '/assets/%2e%2e/%2e%2e/package.json'])
      expect((await app.inject({ url })).body).not.toContain('@supplier/console');
  });
});
