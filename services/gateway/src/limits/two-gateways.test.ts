import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, get as request } from 'node:http';
import { join } from 'node:path';
import { createTestDatabase, eventually, freePort, type TestDatabase } from '@supplier/lib/testing';

const PROCESSES = 2;
const LIMIT = 100;
const REQUESTS = 400;

let database: TestDatabase;
const children: ChildProcess[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 100 });

beforeAll(async () => {
  database = await createTestDatabase({ schema: '' });
});
afterAll(async () => {
  agent.destroy();
  const ended = children.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ended);
  await database?.close();
});

it('two gateway processes pass exactly 100 of 400 concurrent requests under a limit of 100', async () => {
  const ports = await Promise.all(Array.from({ length: PROCESSES }, startGateway));
  const passedBy = ports.map(() => 0);
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, i) => send(ports[i % PROCESSES] ?? 0, address)),
    );
    const withStatus = (status: number) => answers.filter(({ statusCode }) => statusCode === status);
    expect(withStatus(404)).toHaveLength(LIMIT);
    expect(withStatus(429)).toHaveLength(REQUESTS - LIMIT);
    for (const { headers } of withStatus(429)) {
      expect(headers).toMatchObject({ 'ratelimit-limit': '100', 'ratelimit-remaining': '0' });
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(61);
      expect(Number(headers['ratelimit-reset']) - Date.now() / 1000).toBeLessThanOrEqual(62);
    }
    for (const [i, { statusCode }] of answers.entries()) {
      if (statusCode === 404) passedBy[i % PROCESSES] = (passedBy[i % PROCESSES] ?? 0) + 1;
    }
  }
  // Both processes must have taken part, or the test proves nothing.
  expect(Math.min(...passedBy)).toBeGreaterThan(0);
});

/** Starts a real process on its own ports; resolves to its public port once it shares its limits. */
async function startGateway(): Promise<number> {
  const [port, pagesPort, privatePort] = await Promise.all([freePort(), freePort(), freePort()]);
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'main.ts')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SSS_DEPLOYMENT: 'local',
      SSS_HTTP_PORT: String(port),
      SSS_PAGES_PORT: String(pagesPort),
      SSS_PRIVATE_PORT: String(privatePort),
      SSS_ENVIRONMENT: 'sandbox',
      SSS_ACCOUNT_URL: 'http://127.0.0.1:9',
      SSS_SUBMISSION_URL: 'http://127.0.0.1:9',
      SSS_DOCUMENT_URL: 'http://127.0.0.1:9',
      SSS_NATS_URL: 'nats://127.0.0.1:9',
      SSS_SERVICE_TOKEN_DIR: '/nowhere',
      SSS_TRUSTED_PROXIES: '127.0.0.0/8',
      SSS_ADDRESS_PER_MINUTE: String(LIMIT),
      SSS_LIMITS_DATABASE_URL: database.databaseUrl,
    },
  });
  children.push(child);
  let log = '';
  child.stdout?.on('data', (chunk) => {
    log += chunk;
  });
  // Readiness would need the services behind the gateway, which this test does not start.
  const serves = async () => log.includes('limits store connected') && (await isListening(port));
  await eventually('a gateway serves and shares its limits', serves);
  return port;
}

async function send(port: number, address: string): Promise<IncomingMessage> {
  const headers = { 'x-forwarded-for': address };
  const sent = request({ host: '127.0.0.1', port, path: '/', agent, headers });
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

const isListening = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
