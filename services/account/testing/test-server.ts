import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@connectrpc/connect';
import { createRpcClient } from '@supplier/lib/rpc-client';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { startTestProcess } from '@supplier/lib/testing';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { ServiceContext } from '../src/context.ts';
import { accountRoutes } from '../src/rpc/index.ts';

const ISSUER = 'https://issuer.test';

/** The service's RPCs behind its real server, for callers of any role. */
export interface TestServer {
  as(subject: string, role: string): Client<typeof AccountService>;
  close(): Promise<void>;
}

/** Serves `context` on free ports; tokens come from an issuer of the test's own. */
export async function startTestServer(context: ServiceContext): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'account-test-'));
  const issuersFile = join(dir, 'issuers.json');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA' }] };
  writeFileSync(issuersFile, JSON.stringify([{ issuer: ISSUER, jwks, roleClaim: 'roles' }]));

  const process = startTestProcess('account');
  const http1Port = await freePort();
  const config = {
    host: '127.0.0.1',
    http1Port,
    h2cPort: await freePort(),
    databaseUrl: '',
    databasePool: 1,
    natsUrl: '',
    issuersFile,
    serviceTokenDir: '',
    keyRingFile: '',
    logLevel: 'silent',
  };
  const routes = accountRoutes(context);
  await startRpcServer(process, { config, services: [AccountService], routes, ready: async () => {} });

  function tokenOf(subject: string, role: string): string {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const claims = { iss: ISSUER, aud: 'account', sub: subject, exp, roles: [role] };
    const signed = [{ alg: 'EdDSA' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  }

  return {
    as: (subject, role) =>
      createRpcClient(AccountService, {
        baseUrl: `http://127.0.0.1:${http1Port}`,
        audience: 'account',
        tokens: { tokenFor: async () => tokenOf(subject, role) },
      }),
    async close() {
      await process.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
