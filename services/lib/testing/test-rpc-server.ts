import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, type ConnectRouter, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { buildConnector } from 'undici';
import { createRpcClient } from '../rpc/rpc-client/index.ts';
import { startRpcServer } from '../rpc/rpc-server/index.ts';
import type { ServiceConfig } from '../runtime/service-runtime/index.ts';
import { createTestIssuer } from './test-issuer.ts';
import { startTestProcess } from './test-process.ts';

/** The RPCs of a service behind its real server, for callers with any role. */
export interface TestRpcServer<Service extends DescService> {
  /** URL for HTTP/1.1. */
  readonly baseUrl: string;
  /** URL for HTTP/2 without TLS. */
  readonly h2cUrl: string;
  as(subject: string, role: string): Client<Service>;
  /** Returns a gRPC client, streams included, whose tokens are valid for `seconds`, ten minutes by default. */
  overGrpcAs(subject: string, role: string, seconds?: number): Client<Service>;
  /** Returns a token that the server trusts, unless it is for another audience. */
  tokenOf(subject: string, role: string, audience?: string): Promise<string>;
  /** The server's log, as parsed lines. */
  readonly lines: Record<string, unknown>[];
  /** Closes its callers' connections, so as not to wait for data that they may still send, and stops the server. */
  close(): Promise<void>;
}

/**
 * Serves `routes` on free ports under the name `audience`, in a new test process unless one is given. Tokens come from
 * a separate test issuer.
 */
export async function startTestRpcServer<Service extends DescService>(
  audience: string,
  service: Service,
  routes: (router: ConnectRouter) => void,
  process = startTestProcess(audience),
): Promise<TestRpcServer<Service>> {
  const issuer = await createTestIssuer();
  const config = testConfig(ANY_PORTS, issuer.issuersFile);
  const ports = await startRpcServer(process, { config, services: [service], routes, ready: async () => {} });

  const tokenOf = (subject: string, role: string, meantFor = audience, seconds?: number) =>
    issuer.tokenOf(subject, role, meantFor, seconds);

  const baseUrl = `http://127.0.0.1:${ports.http1Port}`;
  const h2cUrl = `http://127.0.0.1:${ports.http2Port}`;
  const sessions: Http2SessionManager[] = [];
  const sockets = new Set<Socket>();
  const open = buildConnector({});
  const connect: buildConnector.connector = (options, callback) =>
    open(options, (...result) => {
      const [, socket] = result;
      if (socket) sockets.add(socket);
      callback(...result);
    });
  return {
    baseUrl,
    h2cUrl,
    tokenOf,
    lines: process.lines,
    as: (subject, role) =>
      createRpcClient(service, {
        baseUrl,
        audience,
        connect,
        // Tests check behaviour, not speed: a busy machine may stall for seconds.
        timeoutMs: 20_000,
        tokens: { tokenFor: () => tokenOf(subject, role) },
      }),
    overGrpcAs: (subject, role, seconds) => {
      const sessionManager = new Http2SessionManager(h2cUrl);
      sessions.push(sessionManager);
      return createClient(
        service,
        createGrpcTransport({
          baseUrl: h2cUrl,
          sessionManager,
          interceptors: [
            (next) => async (request) => {
              request.header.set(
                'authorization',
                `Bearer ${await tokenOf(subject, role, audience, seconds)}`,
              );
              return next(request);
            },
          ],
        }),
      );
    },
    async close() {
      for (const session of sessions) session.abort();
      for (const socket of sockets) socket.destroy();
      await process.stop();
      issuer.close();
    },
  };
}

/** Listeners on ports that the system chooses: no other test can take them first. */
export const ANY_PORTS = { http1Port: 0, h2cPort: 0 };

/** Returns the configuration of a service that serves RPC at `rpc`, with the default bounds and no database. */
export function testConfig(rpc: ServiceConfig['rpc'], issuersFile: string): ServiceConfig {
  return {
    host: '127.0.0.1',
    rpc,
    tls: {},
    databaseUrl: '',
    databasePool: 2,
    staffCalls: { inFlight: 4, inFlightPerPerson: 2, maxWaitMs: 5_000 },
    nats: { url: '' },
    publishedDays: 7,
    issuersFile,
    clockToleranceS: 30,
    serviceTokenDir: '',
    keyRingFile: '',
    logLevel: 'info',
  };
}

/** Below the ports that systems choose for outgoing connections, of which parallel tests open many. */
const PORTS = { from: 10_000, until: 20_000 };
const MOST_TRIES = 100;

/**
 * Returns a port of 127.0.0.1 that was free a moment ago, for programs that can't listen on 0 and say which port they
 * got. Another test may take it first, so whatever can listen on 0 does.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.until);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`no port between ${PORTS.from} and ${PORTS.until} is free`);
}
