import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescService } from '@bufbuild/protobuf';
import type { Client, ConnectRouter } from '@connectrpc/connect';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createRpcClient } from '../rpc-client/index.ts';
import { startRpcServer } from '../rpc-server/index.ts';
import { startTestProcess } from './test-process.ts';

const ISSUER = 'https://issuer.test';

/** The RPCs of a service behind its real server, for callers of any role. */
export interface TestRpcServer<Service extends DescService> {
  /** Where it answers over HTTP/1.1. */
  readonly baseUrl: string;
  as(subject: string, role: string): Client<Service>;
  /** What the server logged, as parsed lines. */
  readonly lines: Record<string, unknown>[];
  close(): Promise<void>;
}

/**
 * Serves `routes` on free ports under the name `audience`, in a process of its own unless one is given; tokens come from
 * an issuer of the test's own.
 */
export async function startTestRpcServer<Service extends DescService>(
  audience: string,
  service: Service,
  routes: (router: ConnectRouter) => void,
  process = startTestProcess(audience),
): Promise<TestRpcServer<Service>> {
  const dir = mkdtempSync(join(tmpdir(), `${audience}-test-`));
  const issuersFile = join(dir, 'issuers.json');
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA' }] };
  writeFileSync(issuersFile, JSON.stringify([{ issuer: ISSUER, jwks, roleClaim: 'roles' }]));

  const http1Port = await freePort();
  const config = {
    host: '127.0.0.1',
    http1Port,
    h2cPort: await freePort(),
    databaseUrl: '',
    databasePool: 1,
    natsUrl: '',
    events: { replicas: 1, maxAgeDays: 7, maxBytes: 0, publishedDays: 7 },
    issuersFile,
    serviceTokenDir: '',
    keyRingFile: '',
    logLevel: 'info',
  };
  await startRpcServer(process, { config, services: [service], routes, ready: async () => {} });

  const tokenOf = (subject: string, role: string) =>
    new SignJWT({ roles: [role] })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject(subject)
      .setExpirationTime('10m')
      .sign(privateKey);

  const baseUrl = `http://127.0.0.1:${http1Port}`;
  return {
    baseUrl,
    lines: process.lines,
    as: (subject, role) =>
      createRpcClient(service, {
        baseUrl,
        audience,
        tokens: { tokenFor: () => tokenOf(subject, role) },
      }),
    async close() {
      await process.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port');
  return address.port;
}
