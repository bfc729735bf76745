import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, startTestProcess, type TestDatabase } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { cookieOf, logIn, testConsole, URL_OF_CONSOLE } from './test-console.ts';
import { startIdentityProvider, type TestIdentityProvider } from './test-identity-provider.ts';

const METHODS = '/rpc/submission/supplier.submission.v1.SubmissionService';
const keyOf = (digit: string) => Buffer.alloc(32, digit).toString('base64');
/** The ring before a rotation, during it, after it, and one of somebody else. */
const RINGS = {
  before: { primary: 'k1', keys: { k1: keyOf('1') } },
  during: { primary: 'k2', keys: { k1: keyOf('1'), k2: keyOf('2') } },
  after: { primary: 'k2', keys: { k2: keyOf('2') } },
  foreign: { primary: 'k1', keys: { k1: keyOf('9') } },
};

/** Consoles over one database. */
export interface TestReplicas {
  readonly database: TestDatabase;
  readonly provider: TestIdentityProvider;
  /** Lines that the consoles logged in this test. */
  readonly lines: Record<string, unknown>[];
  start(ring?: keyof typeof RINGS, aheadMs?: number): Promise<FastifyInstance>;
  /** Moves the clocks of the consoles and of the database. */
  pass(ms: number): Promise<void>;
}

/** Provides consoles for the tests of a file, each with its own sessions. */
export function testReplicas(): TestReplicas {
  let database: TestDatabase;
  let provider: TestIdentityProvider;
  let folder: string;
  let now: number;
  const lines: Record<string, unknown>[][] = [];
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
    database = await createTestDatabase({ serviceDir: new URL('../../', import.meta.url) });
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
    lines.splice(0);
    await provider.close();
    await database.pool.query('TRUNCATE session');
  });
  afterAll(async () => {
    service.close();
    await database?.close();
    rmSync(folder, { recursive: true });
  });

  return {
    get database() {
      return database;
    },
    get provider() {
      return provider;
    },
    get lines() {
      return lines.flat();
    },
    async start(ring = 'before', aheadMs = 0) {
      const process = startTestProcess('console');
      const app = await testConsole({
        ...{ process, provider, now: () => now + aheadMs },
        services: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
        env: { SSS_SESSIONS_DATABASE_URL: database.runtimeUrl, SSS_KEY_RING_FILE: join(folder, ring) },
      });
      lines.push(process.lines);
      running.push({ app, stop: () => process.stop() });
      return app;
    },
    async pass(ms) {
      now += ms;
      await database.pool.query("UPDATE session SET used_at = used_at - $1 * interval '1 millisecond'", [ms]);
    },
  };
}

export const headersOf = (cookie: string, type = 'application/proto') => ({
  ...{ cookie: `console=${cookie}`, origin: URL_OF_CONSOLE, 'content-type': type },
  ...{ 'console-person': 'jo', 'console-active': '1' },
});

export const answerTo = (app: FastifyInstance, cookie: string) =>
  app.inject({
    ...{ method: 'POST', url: `${METHODS}/GetQueues` },
    ...{ headers: headersOf(cookie), payload: 'asked' },
  });

export const call = async (app: FastifyInstance, cookie: string) => (await answerTo(app, cookie)).statusCode;

export const session = async (app: FastifyInstance, { provider }: TestReplicas) =>
  cookieOf(await logIn(app, provider), 'console');

export const logOut = (app: FastifyInstance, cookie: string) =>
  app.inject({ method: 'POST', url: '/logout', headers: headersOf(cookie), payload: '' });

/** Opens a stream at a console that listens, and reads its first message. */
export async function watching(app: FastifyInstance, cookie: string) {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const at = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const headers = headersOf(cookie, 'application/connect+proto');
  const { body } = await fetch(`${at}${METHODS}/WatchQueues`, { method: 'POST', headers, body: 'asked' });
  if (!body) throw new Error('could not read a stream: its response has no body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  expect(await reader.read()).toEqual({ done: false, value: 'first' });
  return reader;
}
