import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTestDatabase, eventually, freePort } from '@supplier/lib/testing';

const SERVICES = ['ACCOUNT', 'SUBMISSION', 'DOCUMENT', 'BILLING', 'WEBHOOK'];

/** Starts the process of a console. */
async function startMain(env: Readonly<Record<string, string>>) {
  const [httpPort, privatePort] = [await freePort(), await freePort()];
  const main = join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main], {
    env: {
      ...{ SSS_DEPLOYMENT: 'local', SSS_HTTP_PORT: `${httpPort}`, SSS_PRIVATE_PORT: `${privatePort}` },
      ...{ SSS_CONSOLE_URL: 'http://127.0.0.1:8083', SSS_OIDC_ISSUER_URL: 'http://127.0.0.1:9' },
      SSS_OIDC_CLIENT_ID: 'console',
      ...Object.fromEntries(SERVICES.map((name) => [`SSS_${name}_URL`, 'http://127.0.0.1:9'])),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  await eventually('it starts', () => lines.some((line) => line.includes('"msg":"started"')));
  return {
    async readiness() {
      const answer = await fetch(`http://127.0.0.1:${privatePort}/readyz`);
      return { status: answer.status, text: await answer.text() };
    },
    async stop() {
      const closed = once(child, 'close');
      child.kill();
      await closed;
    },
  };
}

it('is not ready until the shared sessions have been readable once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ring-'));
  const ring = join(folder, 'console.json');
  const key = Buffer.alloc(32, 1).toString('base64');
  writeFileSync(ring, JSON.stringify({ primary: 'k1', keys: { k1: key }, digestKey: key }));
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  await database.pool.query('ALTER TABLE session RENAME TO away');
  const main = await startMain({
    SSS_SESSIONS_DATABASE_URL: database.runtimeUrl,
    SSS_KEY_RING_FILE: ring,
  });
  expect((await main.readiness()).status).toBe(503);
  await database.pool.query('ALTER TABLE away RENAME TO session');
  expect(await main.readiness()).toEqual({ status: 200, text: 'ok\n' });
  await database.pool.query('ALTER TABLE session RENAME TO away');
  expect((await main.readiness()).status).toBe(200);
  await main.stop();
  await database.close();
  rmSync(folder, { recursive: true });
});
