import type { RequestListener } from 'node:http';
import { type Http2ServerRequest, Http2ServerResponse, type IncomingHttpHeaders } from 'node:http2';
import type { DescService, Registry as TypeRegistry } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { within } from '../../runtime/deadlines/index.ts';
import { Registry, scraperOf } from '../../runtime/metrics/index.ts';
import {
  lackIn,
  type Readiness,
  readinessLog,
  readinessPage,
  type ServiceConfig,
  type ServiceProcess,
} from '../../runtime/service-runtime/index.ts';
import { discardUnreadBody } from '../unread-body/index.ts';
import { CallerConnections, type ConnectionBounds } from './caller-connections.ts';
import { serveCallsTogether, takeExchange } from './calls-together.ts';
import { denials } from './denials.ts';
import { withPlainGrpcMessages } from './grpc-message.ts';
import { serveHealth } from './health.ts';
import { callGate, callInterceptors, valuesOf } from './interceptors.ts';
import { listenHttp1, listenPlain } from './listen-plain.ts';
import { listenTls } from './listen-tls.ts';
import { closeOpenUpload, UNREAD } from './open-uploads.ts';
import { serveReflection } from './reflection.ts';
import { rpcDurations } from './rpc-durations.ts';
import { STAFF_CALL_BOUNDS, StaffCalls } from './staff-calls.ts';
import { UnaryHandler } from './unary-handler.ts';
import { createTokenVerifier } from './verify-token.ts';

const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MAX_TIMEOUT_MS = 60_000;
const READY_TIMEOUT_MS = 1_500;

export interface RpcServerOptions {
  readonly config: ServiceConfig;
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Rejects while the service cannot do its work. */
  readonly ready: () => Promise<unknown>;
  /** Bounds on callers' connections; `CONNECTION_BOUNDS` when absent. */
  readonly connectionBounds?: ConnectionBounds;
  /** The largest request; 1 MiB when absent. */
  readonly maxRequestBytes?: number;
  /** The types that a google.protobuf.Any may hold in JSON; none when absent. */
  readonly types?: TypeRegistry;
}

/**
 * Serves one set of routes as Connect over HTTP/1.1 and as gRPC over HTTP/2: over TLS on one port, with GET /livez,
 * /readyz and /metrics on a private one, or without TLS on two, the first with those pages, too.
 * Resolves when all listen; on stop it lets calls in flight end.
 */
export async function startRpcServer(process: ServiceProcess, options: RpcServerOptions): Promise<void> {
  const { config, services } = options;
  const { host, rpc } = config;
  const readinessNow = readiness(process, options.ready);
  const isReady = async () => (await readinessNow()).ready;
  const probe = probes(readinessNow, scraperOf(process.metrics, process.log));
  const observeCall = rpcDurations(process.metrics, services);
  const denied = denials(process.metrics, process.log, services);
  const { issuersFile, clockToleranceS } = config;
  const verifyToken = createTokenVerifier(issuersFile, process.name, denied.withhold, clockToleranceS);
  const connections = new CallerConnections(process.metrics, options.connectionBounds);
  const staffCalls = new StaffCalls({ ...STAFF_CALL_BOUNDS, ...config.staffCalls });
  const admission = { verifyToken, denials: denied, connections, staffCalls };
  const bounds = {
    readMaxBytes: options.maxRequestBytes ?? MAX_REQUEST_BYTES,
    writeMaxBytes: MAX_RESPONSE_BYTES,
    maxTimeoutMs: MAX_TIMEOUT_MS,
  };
  const rules = { log: process.log, observeCall, admission, ...bounds };
  const unary = new UnaryHandler(rules);
  const handler = connectNodeAdapter({
    routes(router) {
      options.routes(unary.learning(router));
      const names = services.map(({ typeName }) => typeName);
      serveHealth(router, { names, ready: isReady, stopping: process.stopping });
      serveReflection(router, services);
      serveCallsTogether(router, unary);
    },
    interceptors: callInterceptors(process.log, observeCall),
    requestGate: callGate(process.log, observeCall, admission),
    contextValues: valuesOf,
    // A mistyped field must not be taken for one that was left out.
    jsonOptions: { ignoreUnknownFields: false, ...(options.types ? { registry: options.types } : {}) },
    ...bounds,
    fallback: 'port' in rpc ? notFound : probe,
  });
  const answerPlainly = withPlainGrpcMessages(handler);
  const http2: typeof handler = (request, response) => {
    capDeadlines(request.headers);
    if (response instanceof Http2ServerResponse) closeOpenUpload(request as Http2ServerRequest, response);
    answerPlainly(request, response);
  };
  const http1: RequestListener = (request, response) => {
    discardUnreadBody(request, response, UNREAD);
    if (unary.take(request, response) || takeExchange({ unary, ...rules }, request, response)) return;
    capDeadlines(request.headers);
    handler(request, response);
  };
  if ('port' in rpc) {
    await listenHttp1(process, 'private listener', { host, port: rpc.privatePort }, probe);
    await listenTls(process, { host, ...rpc }, { http1, http2 }, connections);
  } else {
    await listenPlain(process, { host, ...rpc }, { http1, http2 }, connections);
  }
}

const GRPC_UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001 };

/** Shortens a deadline that is later than the latest, which Connect would refuse. Malformed ones stay as they are. */
function capDeadlines(headers: IncomingHttpHeaders): void {
  const connect = /^\d{1,10}$/.exec(headers['connect-timeout-ms']?.toString() ?? '');
  if (Number(connect?.[0] ?? 0) > MAX_TIMEOUT_MS) headers['connect-timeout-ms'] = String(MAX_TIMEOUT_MS);
  const grpc = /^(\d{1,8})([HMSmu])$/.exec(headers['grpc-timeout']?.toString() ?? '');
  const grpcMs = Number(grpc?.[1] ?? 0) * (GRPC_UNITS_MS[grpc?.[2] ?? ''] ?? 0);
  if (grpcMs > MAX_TIMEOUT_MS) headers['grpc-timeout'] = `${MAX_TIMEOUT_MS}m`;
}

type Fallback = (...call: Parameters<ReturnType<typeof connectNodeAdapter>>) => void | Promise<void>;

function readiness(process: ServiceProcess, ready: () => Promise<unknown>): () => Promise<Readiness> {
  const note = readinessLog(process.log);
  return async () => {
    if (process.stopping.aborted) return { ready: false };
    const answer = ready().then(
      () => ({ ready: true }),
      (error: unknown) => ({ ready: false, lacks: lackIn(error) }),
    );
    const late = () => ({ ready: false, lacks: `no answer within ${READY_TIMEOUT_MS} ms` });
    const readiness = await within(READY_TIMEOUT_MS, answer, late);
    note(readiness);
    return readiness;
  };
}

/** Liveness depends on nothing but this process; readiness on what it needs to do its work; metrics never fail. */
function probes(readinessNow: () => Promise<Readiness>, scrape: () => Promise<string>): Fallback {
  return async (request, response) => {
    const path = request.method === 'GET' ? request.url : undefined;
    if (path === '/metrics') {
      const page = await scrape();
      response.setHeader('content-type', Registry.PROMETHEUS_CONTENT_TYPE);
      response.end(page);
      return;
    }
    if (path === '/livez') return say(response, 200, 'ok\n');
    if (path !== '/readyz') return notFound(request, response);
    const now = await readinessNow();
    return say(response, now.ready ? 200 : 503, readinessPage(now));
  };
}

const notFound: Fallback = (_request, response) => say(response, 404, 'not found\n');

function say(response: Parameters<Fallback>[1], status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain');
  response.end(text);
}
