import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, startTestProcess, type TestDatabase } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { cookieOf, logIn, testConsole, URL_OF_CONSOLE } from './testing/test-console.ts';
import { startIdentityProvider, type TestIdentityProvider } from './testing/test-identity-provider.ts';

const METHODS = '/rpc/submission/supplier.submission.v1.SubmissionService';
const keyOf = (digit: string) => Buffer.alloc(32, digit).toString('base64');
/** The ring before a rotation, during it, after it, and one of somebody else. */
const RINGS = {
  before: { primary: 'k1', keys: { k1: keyOf('1') } },
  during: { primary: 'k2', keys: { k1: keyOf('1'), k2: keyOf('2') } },
  after: { primary: 'k2', keys: { k2: keyOf('2') } },
  foreign: { primary: 'k1', keys: { k1: keyOf('9') } },
};

let database: TestDatabase;
let folder: string;
let provider: TestIdentityProvider;
let now: number;
const running: { app: FastifyInstance; stop(): Promise<void> }[] = [];
const open: ServerResponse[] = [];
const service = createServer((request, response) => {
  if (!request.url?.includes('Watch')) return void response.end('answered');
  open.push(response);
  response.writeHead(200, { 'content-type': 'application/connect+proto' }).write('first');
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rings-'));
  for (const [name, ring] of Object.entries(RINGS))
    writeFileSync(join(folder, name), JSON.stringify({ ...ring, digestKey: keyOf('0') }));
  database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  await once(service.listen(0, '127.0.0.1'), 'listening');
});
beforeEach(async () => {
  provider = await startIdentityProvider();
  now = Date.now();
});
afterEach(async () => {
  for (const response of open.splice(0)) response.destroy();
  for (const { app, stop } of running.splice(0)) {
    await stop();
    app.server.closeAllConnections();
    await app.close();
  }
  await provider.close();
});
afterAll(async () => {
  service.close();
  await database?.close();
  rmSync(folder, { recursive: true });
});

function startConsole(ring: keyof typeof RINGS = 'before'): FastifyInstance {
  const process = startTestProcess('console');
  const app = testConsole({
    ...{ process, provider, now: () => now },
    services: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    env: { SSS_SESSIONS_DATABASE_URL: database.runtimeUrl, SSS_KEY_RING_FILE: join(folder, ring) },
  });
  running.push({ app, stop: () => process.stop() });
  return app;
}

const headersOf = (cookie: string, type = 'application/proto') => ({
  ...{ cookie: `console=${cookie}`, origin: URL_OF_CONSOLE, 'content-type': type },
  ...{ 'console-person': 'jo', 'console-active': '1' },
});
const call = async (app: FastifyInstance, cookie: string) =>
  (
    await app.inject({
      method: 'POST',
      url: `${METHODS}/GetQueues`,
      headers: headersOf(cookie),
      payload: 'asked',
    })
  ).statusCode;
const session = async (app: FastifyInstance) => cookieOf(await logIn(app, provider), 'console');
const logOut = (app: FastifyInstance, cookie: string) =>
  app.inject({ method: 'POST', url: '/logout', headers: headersOf(cookie), payload: '' });

/** Opens a stream at a console that listens, and reads its first message. */
async function watching(app: FastifyInstance, cookie: string) {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const at = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const headers = headersOf(cookie, 'application/connect+proto');
  const { body } = await fetch(`${at}${METHODS}/WatchQueues`, { method: 'POST', headers, body: 'asked' });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  expect(await reader.read()).toEqual({ done: false, value: 'first' });
  return reader;
}

describe('two replicas of the console', () => {
  it('serve one session, also when its login began at the other one', async () => {
    const [one, other] = [startConsole(), startConsole()];
    const begun = await one.inject({ url: '/login' });
    const back = provider.login(String(begun.headers.location));
    const cookies = { 'console-login': cookieOf(begun, 'console-login') };
    const cookie = cookieOf(
      await other.inject({ url: `${back.pathname}${back.search}`, cookies }),
      'console',
    );
    expect([await call(one, cookie), await call(other, cookie)]).toEqual([200, 200]);
  });

  it('renew an expiring token once', async () => {
    const [one, other] = [startConsole(), startConsole()];
    provider.token = { seconds: 300, renews: true };
    const cookie = await session(one);
    now += 301_000;
    const held = provider.hold();
    const calls = [call(one, cookie), call(one, cookie), call(other, cookie)];
    await held.asked;
    held.release();
    expect(await Promise.all(calls)).toEqual([200, 200, 200]);
    expect(provider.renewals).toHaveLength(1);
  });

  it('end a session that is used at both, and its streams, when its person logs out at one', async () => {
    const [one, other] = [startConsole(), startConsole()];
    const [here, there] = [await session(one), await session(other)];
    const streams = [await watching(one, there), await watching(other, here)];
    await logOut(one, here);
    for (const stream of streams) await expect(stream.read()).rejects.toThrow();
    for (const cookie of [here, there])
      expect([await call(one, cookie), await call(other, cookie)]).toEqual([401, 401]);
  });

  it('count the use at either one', async () => {
    const [one, other] = [startConsole(), startConsole()];
    provider.token = { seconds: 86_400, renews: false };
    const cookie = await session(one);
    for (const app of [other, one, other]) {
      now += 40 * 60_000;
      expect(await call(app, cookie)).toBe(200);
    }
    now += 60 * 60_000;
    expect([await call(one, cookie), await call(other, cookie)]).toEqual([401, 401]);
  });
});

describe('a shared session', () => {
  it('outlives a restart, and a rotation of the key that seals it', async () => {
    const cookie = await session(startConsole('before'));
    provider.token = { seconds: 300, renews: true };
    const during = startConsole('during');
    expect(await call(during, cookie)).toBe(200);
    const newer = await session(during);
    const after = startConsole('after');
    expect([await call(after, newer), await call(after, cookie)]).toEqual([200, 401]);
  });

  it('is not served to an altered cookie', async () => {
    const app = startConsole();
    const cookie = await session(app);
    const altered = `${cookie.startsWith('A') ? 'B' : 'A'}${cookie.slice(1)}`;
    for (const wrong of [altered, cookie.slice(1), `${cookie}A`, '', `${cookie}; console=${altered}`])
      expect(await call(app, wrong)).toBe(401);
    expect(await call(app, cookie)).toBe(200);
  });

  it('is not served after it expired, nor when its cookie is sent again after a logout', async () => {
    const app = startConsole();
    const cookie = await session(app);
    await logOut(app, cookie);
    expect(await call(app, cookie)).toBe(401);
    const late = await session(app);
    now += 8 * 60 * 60_000;
    expect(await call(app, late)).toBe(401);
    now -= 8 * 60 * 60_000;
    expect(await call(app, late)).toBe(401);
  });

  it('does not open for someone who can write to the database but has no key', async () => {
    const app = startConsole();
    const cookie = await session(app);
    provider.person = { subject: 'sam', roles: ['staff:admin'] };
    await session(app);
    await database.pool.query(
      "UPDATE session SET sealed = (SELECT sealed FROM session WHERE subject = 'sam' LIMIT 1) WHERE subject = 'jo'",
    );
    expect(await call(app, cookie)).toBe(401);
    const forged = startConsole('foreign');
    provider.person = { subject: 'jo', roles: ['staff:admin'] };
    expect(await call(app, await session(forged))).toBe(401);
  });

  it('begins only with a login that was sealed under a key of the ring, and was not altered', async () => {
    const [app, foreign] = [startConsole(), startConsole('foreign')];
    const begun = await foreign.inject({ url: '/login' });
    const back = provider.login(String(begun.headers.location));
    const sealed = cookieOf(begun, 'console-login');
    const finish = async (cookie: string) =>
      (await app.inject({ url: `${back.pathname}${back.search}`, cookies: { 'console-login': cookie } }))
        .statusCode;
    expect(await finish(sealed)).toBe(400);
    const own = cookieOf(await app.inject({ url: '/login' }), 'console-login');
    expect(await finish(`${own.slice(0, -2)}${own.endsWith('A') ? 'B' : 'A'}${own.at(-1)}`)).toBe(400);
  });

  it('keeps no token and no session id in the database in the clear', async () => {
    const cookie = await session(startConsole());
    const { rows } = await database.pool.query(
      'SELECT session::text AS line, encode(sealed, $1) AS text FROM session',
      ['escape'],
    );
    for (const { line, text } of rows) {
      expect(`${line}${text}`).not.toContain(cookie);
      expect(`${line}${text}`).not.toContain('eyJ');
    }
  });
});
