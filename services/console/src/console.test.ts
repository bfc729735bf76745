import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestProcess } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { cookieOf, logIn as logInAt, testConsole, URL_OF_CONSOLE } from './testing/test-console.ts';
import { startIdentityProvider, type TestIdentityProvider } from './testing/test-identity-provider.ts';

const CALL = '/rpc/submission/supplier.submission.v1.SubmissionService/GetQueues';

let provider: TestIdentityProvider;
let app: FastifyInstance;
let now: number;
/** Number of calls the services received. */
let asked: number;

const service = createServer((_request, response) => {
  asked += 1;
  response.end('answered');
});

beforeEach(async () => {
  provider = await startIdentityProvider();
  if (!service.listening) await once(service.listen(0, '127.0.0.1'), 'listening');
  now = Date.now();
  asked = 0;
  app = await testConsole({
    process: startTestProcess('console'),
    provider,
    services: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    now: () => now,
  });
});
afterEach(async () => {
  await app.close();
  await provider.close();
});
afterAll(() => void service.close());

const logIn = (path?: string) => logInAt(app, provider, path);
const session = async () => cookieOf(await logIn(), 'console');

const call = (cookie: string, person = 'jo', activity: Record<string, string> = { 'console-active': '1' }) =>
  app.inject({
    method: 'POST',
    url: CALL,
    cookies: { console: cookie },
    headers: {
      origin: URL_OF_CONSOLE,
      'content-type': 'application/proto',
      'console-person': person,
      ...activity,
    },
    payload: 'asked',
  });

describe('login', () => {
  it('redirects through the identity provider to the requested screen, and keeps tokens from the browser', async () => {
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
  ])('does not redirect outside the console: %s', async (path) => {
    expect((await logIn(path)).headers.location).toBe('/');
  });

  it('accepts a response once, only in the browser and for the login that began it', async () => {
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

  it('rejects a person without a staff role, regardless of other roles in the token', async () => {
    for (const roles of [undefined, [], ['service:gateway', 'admin', 7], 'owner']) {
      provider.person = { subject: 'mallory', roles };
      const ended = await logIn();
      expect([ended.statusCode, cookieOf(ended, 'console')]).toEqual([403, '']);
    }
  });

  it('returns 503 while the identity provider is unavailable, and works once it is back', async () => {
    provider.isAway = true;
    expect((await app.inject({ url: '/login' })).statusCode).toBe(503);
    provider.isAway = false;
    expect((await logIn()).statusCode).toBe(303);
  });
});

describe('a session', () => {
  it('ends after an hour without input, even while its page polls', async () => {
    provider.token = { seconds: 86_400, renews: false };
    const cookie = await session();
    for (let minutes = 0; minutes < 59; minutes += 1) {
      now += 60_000;
      expect((await call(cookie, 'jo', {})).statusCode).toBe(200);
    }
    now += 60_000;
    expect((await call(cookie, 'jo', {})).statusCode).toBe(401);
  });

  it('ends when another login replaces it in the same browser', async () => {
    const replaced = await session();
    const elsewhere = await session();
    provider.person = { subject: 'sam', roles: ['staff:viewer'] };
    const ended = await logInAt(app, provider, '/', replaced);
    expect((await call(replaced)).statusCode).toBe(401);
    expect((await call(elsewhere)).statusCode).toBe(200);
    expect((await call(cookieOf(ended, 'console'), 'sam')).statusCode).toBe(200);
  });

  it('ends after an hour without calls, and after eight hours in any case, however often it is renewed', async () => {
    const cookie = await session();
    now += 59 * 60_000;
    // The one-hour token is valid for another minute.
    expect((await call(cookie)).statusCode).toBe(200);
    for (const token of [
      { seconds: 86_400, renews: false },
      { seconds: 3_600, renews: true },
    ]) {
      provider.token = token;
      const long = await session();
      for (let passed = 0; passed < 8; passed += 1) {
        now += 59 * 60_000;
        expect((await call(long)).statusCode).toBe(200);
      }
      now += 9 * 60_000;
      expect((await call(long)).statusCode).toBe(401);
    }
    const idle = await session();
    now += 60 * 60_000;
    expect((await app.inject({ url: '/session', cookies: { console: idle } })).statusCode).toBe(401);
  });

  it('renews an expiring token once for concurrent calls, and ends when its token is not renewed', async () => {
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

  it('renews a token of unknown lifetime after five minutes', async () => {
    provider.token = { seconds: undefined, renews: true };
    const cookie = await session();
    for (const [passed, renewals] of [
      [230_000, 0],
      [20_000, 1],
      [250_000, 2],
    ] as const) {
      now += passed;
      expect((await call(cookie)).statusCode).toBe(200);
      expect(provider.renewals).toHaveLength(renewals);
    }
  });

  it('has the roles of its newest token, returns them with each response, and ends when the last role is revoked', async () => {
    provider.token = { seconds: 300, renews: true };
    provider.person = { subject: 'jo', roles: ['staff:operator', 'staff:viewer'] };
    const cookie = await session();
    const rolesOf = async () => {
      const { roles } = (await app.inject({ url: '/session', cookies: { console: cookie } })).json<{
        roles: string[];
      }>();
      return roles;
    };
    provider.person = { subject: 'jo', roles: 'staff:viewer' };
    expect((await call(cookie)).headers['console-roles']).toBe('staff:operator,staff:viewer');
    now += 250_000;
    expect((await call(cookie)).headers['console-roles']).toBe('staff:viewer');
    expect(await rolesOf()).toEqual(['staff:viewer']);
    provider.person = { subject: 'jo', roles: [] };
    now += 250_000;
    expect((await call(cookie)).statusCode).toBe(401);
  });

  it.each([
    ['another person', 'sam'],
    ['no name', ''],
  ])('ends when its token is renewed for %s', async (_whom, subject) => {
    provider.token = { seconds: 300, renews: true };
    const cookie = await session();
    provider.person = { subject, roles: ['staff:admin'] };
    now += 250_000;
    expect((await call(cookie)).statusCode).toBe(401);
    expect(asked).toBe(0);
  });

  it('survives an identity provider that is unavailable when its token expires', async () => {
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

  it('rejects calls from a page opened by a previous person in the same browser', async () => {
    const cookie = await session();
    expect((await call(cookie, 'sam')).statusCode).toBe(401);
    expect((await call(cookie)).statusCode).toBe(200);
    expect(asked).toBe(1);
  });

  it('ends in every browser when its person logs out, and leaves other people logged in', async () => {
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
    expect((await call(other, 'sam')).statusCode).toBe(200);
    // The logged-out page doesn't log in automatically, and its login asks for credentials.
    expect((await app.inject('/logged-out')).body).toContain('href="/login?again"');
    expect((await app.inject('/login?again')).headers.location).toContain('prompt=login');
  });

  it('is kept for up to ten browsers per person', async () => {
    const first = await session();
    for (let more = 0; more < 10; more += 1) {
      now += 1_000;
      await session();
    }
    expect((await call(first)).statusCode).toBe(401);
  });
});

describe('a page', () => {
  it("runs only the console's scripts, cannot be framed, and is never cached", async () => {
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

  it('is the same for every screen, and only built files are served besides it', async () => {
    for (const url of ['/', '/submissions', '/find?what=x'])
      expect((await app.inject({ url })).body).toContain('<div id="app">');
    expect((await app.inject({ url: '/assets/none.js' })).headers['cache-control']).toBe('no-store');
    for (const url of ['/assets/none.js', '/assets/../../package.json', '/assets/%2e%2e/%2e%2e/package.json'])
      expect((await app.inject({ url })).body).not.toContain('@supplier/console');
  });
});
