import type { DescService } from '@bufbuild/protobuf';
import type { Client, ConnectRouter } from '@connectrpc/connect';
import { createRpcClient } from '../rpc-client/index.ts';
import { startRpcServer } from '../rpc-server/index.ts';
import { freePort } from './free-port.ts';
import { createTestIssuer } from './test-issuer.ts';
import { startTestProcess } from './test-process.ts';

/** The RPCs of a service behind its real server, for callers of any role. */
export interface TestRpcServer<Service extends DescService> {
  /** Where it answers over HTTP/1.1. */
  readonly baseUrl: string;
  /** Where it answers over HTTP/2 without TLS. */
  readonly h2cUrl: string;
  as(subject: string, role: string): Client<Service>;
  /** A token that it trusts, unless it is meant for another audience. */
  tokenOf(subject: string, role: string, audience?: string): Promise<string>;
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
  const issuer = await createTestIssuer();
  const rpc = { http1Port: await freePort(), h2cPort: await freePort() };
  const config = {
    host: '127.0.0.1',
    rpc,
    tls: {},
    databaseUrl: '',
    databasePool: 1,
    nats: { url: '' },
    events: { replicas: 1, maxAgeDays: 7, maxBytes: 0, publishedDays: 7 },
    issuersFile: issuer.issuersFile,
    serviceTokenDir: '',
    keyRingFile: '',
    logLevel: 'info',
  };
  await startRpcServer(process, { config, services: [service], routes, ready: async () => {} });

  const tokenOf = (subject: string, role: string, meantFor = audience) =>
    issuer.tokenOf(subject, role, meantFor);

  const baseUrl = `http://127.0.0.1:${rpc.http1Port}`;
  return {
    baseUrl,
    h2cUrl: `http://127.0.0.1:${rpc.h2cPort}`,
    tokenOf,
    lines: process.lines,
    as: (subject, role) =>
      createRpcClient(service, {
        baseUrl,
        audience,
        tokens: { tokenFor: () => tokenOf(subject, role) },
      }),
    async close() {
      await process.stop();
      issuer.close();
    },
  };
}
