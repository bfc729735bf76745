import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@connectrpc/connect';
import { createRpcClient } from '@supplier/lib/rpc-client';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { ServiceContext } from '../src/context.ts';
import { webhookRoutes } from '../src/rpc/index.ts';
import { closedPort } from './receivers.ts';
import { testProcess } from './test-process.ts';

const ISSUER = 'https://issuer.test';

/** The service's RPCs behind its real server, for callers of any role. */
export interface TestServer {
  as(subject: string, role: string): Client<typeof WebhookService>;
  readonly lines: Record<string, unknown>[];
  close(): Promise<void>;
}

/** Serves `context` on free ports; tokens come from an issuer of the test's own. */
export async function startTestServer(context: ServiceContext): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'webhook-test-'));
  const issuersFile = join(dir, 'issuers.json');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA' }] };
  writeFileSync(issuersFile, JSON.stringify([{ issuer: ISSUER, jwks, roleClaim: 'roles' }]));

  const { process, lines, stop } = testProcess();
  const http1Port = await closedPort();
  const config = {
    host: '127.0.0.1',
    http1Port,
    h2cPort: await closedPort(),
    databaseUrl: '',
    databasePool: 1,
    natsUrl: '',
    issuersFile,
    serviceTokenDir: '',
    keyRingFile: '',
    logLevel: 'silent',
  };
  const routes = webhookRoutes(context);
  await startRpcServer(process, { config, services: [WebhookService], routes, ready: async () => {} });

  function tokenOf(subject: string, role: string): string {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const claims = { iss: ISSUER, aud: 'webhook', sub: subject, exp, roles: [role] };
    const signed = [{ alg: 'EdDSA' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  }

  return {
    lines,
    as: (subject, role) =>
      createRpcClient(WebhookService, {
        baseUrl: `http://127.0.0.1:${http1Port}`,
        audience: 'webhook',
        tokens: { tokenFor: async () => tokenOf(subject, role) },
      }),
    async close() {
      await stop();
      rmSync(dir, { recursive: true });
    },
  };
}
