import { once } from 'node:events';
import http from 'node:http';
import http2, { type ServerHttp2Session } from 'node:http2';
import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { within } from '../deadlines/index.ts';
import { Registry, scraperOf } from '../metrics/index.ts';
import { drainHttp, type ServiceConfig, type ServiceProcess } from '../service-runtime/index.ts';
import { denials } from './denials.ts';
import { serveHealth } from './health.ts';
import { callGate, callInterceptors, valuesOf } from './interceptors.ts';
import { serveReflection } from './reflection.ts';
import { rpcDurations } from './rpc-durations.ts';
import { UnaryHandler } from './unary-handler.ts';
import { createTokenVerifier } from './verify-token.ts';

const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MAX_TIMEOUT_MS = 60_000;
const READY_TIMEOUT_MS = 1_500;
const SESSION_GRACE_MS = 2_000;

export interface RpcServerOptions {
  readonly config: ServiceConfig;
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Rejects while the service cannot do its work. */
  readonly ready: () => Promise<unknown>;
}

/**
 * Serves one set of routes twice: Connect over HTTP/1.1, with GET /livez, /readyz and /metrics, and gRPC over HTTP/2
 * without TLS.
 * Resolves when both listen; on stop it lets calls in flight end.
 */
export async function startRpcServer(process: ServiceProcess, options: RpcServerOptions): Promise<void> {
  const { config, services } = options;
  const isReady = readiness(process, options.ready);
  const scrape = scraperOf(process.metrics, process.log);
  const observeCall = rpcDurations(process.metrics);
  const denied = denials(process.metrics, process.log);
  const verifyToken = createTokenVerifier(config.issuersFile, process.name, denied.withhold);
  const admission = { verifyToken, denials: denied };
  const bounds = {
    readMaxBytes: MAX_REQUEST_BYTES,
    writeMaxBytes: MAX_RESPONSE_BYTES,
    maxTimeoutMs: MAX_TIMEOUT_MS,
  };
  const unary = new UnaryHandler({ log: process.log, observeCall, admission, ...bounds });
  const handler = connectNodeAdapter({
    routes(router) {
      options.routes(unary.learning(router));
      const names = services.map(({ typeName }) => typeName);
      serveHealth(router, { names, ready: isReady, stopping: process.stopping });
      serveReflection(router, services);
    },
    interceptors: callInterceptors(process.log, observeCall),
    requestGate: callGate(process.log, observeCall, admission),
    contextValues: valuesOf,
    // A mistyped field must not be taken for one that was left out.
    jsonOptions: { ignoreUnknownFields: false },
    ...bounds,
    fallback: (request, response) => void probe(request, response, isReady, scrape),
  });
  await listenHttp1(process, config, (request, response) => {
    if (!unary.take(request, response)) handler(request, response);
  });
  await listenH2c(process, config, handler);
}

type Handler = ReturnType<typeof connectNodeAdapter>;

async function listenHttp1(
  process: ServiceProcess,
  config: ServiceConfig,
  handler: http.RequestListener,
): Promise<void> {
  const server = http.createServer({ keepAliveTimeout: 70_000, requestTimeout: 30_000 }, handler);
  process.onStop('HTTP/1.1 listener', drainHttp(server), 'listeners');
  server.listen(config.http1Port, config.host);
  await once(server, 'listening');
}

async function listenH2c(process: ServiceProcess, config: ServiceConfig, handler: Handler): Promise<void> {
  const server = http2.createServer({ settings: { maxConcurrentStreams: 250 } }, handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', (err) => process.log.debug({ err }, 'HTTP/2 session failed'));
  });
  server.listen(config.h2cPort, config.host);
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    // Says GOAWAY. A session stays open as long as its client likes: after a grace for calls in flight it is cut.
    for (const session of sessions) session.close();
    const cut = setTimeout(() => {
      for (const session of sessions) session.destroy();
    }, SESSION_GRACE_MS);
    await closed;
    clearTimeout(cut);
  };
  process.onStop('HTTP/2 listener', close, 'listeners');
}

function readiness(process: ServiceProcess, ready: () => Promise<unknown>): () => Promise<boolean> {
  return async () => {
    if (process.stopping.aborted) return false;
    const answer = ready().then(
      () => true,
      () => false,
    );
    return within(READY_TIMEOUT_MS, answer, () => false);
  };
}

/** Liveness depends on nothing but this process; readiness on what it needs to do its work; metrics never fail. */
async function probe(
  request: Parameters<Handler>[0],
  response: Parameters<Handler>[1],
  isReady: () => Promise<boolean>,
  scrape: () => Promise<string>,
): Promise<void> {
  const path = request.method === 'GET' ? request.url : undefined;
  if (path === '/metrics') {
    const page = await scrape();
    response.setHeader('content-type', Registry.PROMETHEUS_CONTENT_TYPE);
    response.end(page);
    return;
  }
  const status = path === '/livez' ? 200 : path === '/readyz' ? ((await isReady()) ? 200 : 503) : 404;
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain');
  response.end(status === 200 ? 'ok\n' : status === 503 ? 'not ready\n' : 'not found\n');
}
