import type {
  DescMethod,
  DescService,
  MessageInitShape,
  MessageShape,
  Registry as TypeRegistry,
} from '@bufbuild/protobuf';
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import { within } from '../../runtime/deadlines/index.ts';
import { scraperOf } from '../../runtime/metrics/index.ts';
import {
  bareApp,
  lackIn,
  type ProcessConfig,
  pageRoutes,
  type Readiness,
  readinessLog,
  type ServiceProcess,
} from '../../runtime/service-runtime/index.ts';
import { MAX_TIMEOUT_MS, rpcApp } from './app.ts';
import { rpcDurations } from './call-rules.ts';
import { CallerConnections, type ConnectionBounds } from './caller-connections.ts';
import { denials } from './denials.ts';
import { serveHealth } from './health.ts';
import { callGate, callInterceptors, valuesOf } from './interceptors.ts';
import { listenHttp1, listenPlain, listenTls, type OpenPorts } from './listen.ts';
import { serveReflection } from './reflection.ts';
import { CallSets, isSet } from './serve-batched-calls.ts';
import { STAFF_CALL_BOUNDS, StaffCalls } from './staff-calls.ts';
import { blameCallers } from './undecodable.ts';
import { createTokenVerifier } from './verify-token.ts';

export { publicError } from './call-rules.ts';
export {
  type Caller,
  callerKey,
  callerOf,
  principalKey,
  principalOf,
  requirePrincipal,
  requireScope,
  type SupplierPrincipal,
} from './caller.ts';

const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const READY_TIMEOUT_MS = 1_500;

export interface RpcServerOptions {
  readonly config: ProcessConfig;
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Rejects while the service cannot do its work. */
  readonly ready: () => Promise<unknown>;
  /** Bounds on callers' connections; `CONNECTION_BOUNDS` if absent. */
  readonly connectionBounds?: ConnectionBounds;
  /** The largest request; 1 MiB if absent. */
  readonly maxRequestBytes?: number;
  /** Types that a google.protobuf.Any may contain in JSON; none if absent. */
  readonly types?: TypeRegistry;
}

/**
 * Serves routes as Connect over HTTP/1.1 and gRPC over HTTP/2: with TLS on one port, and pages on a private one;
 * without TLS on two ports with pages. Resolves with the ports when listening; on stop, calls in flight finish.
 */
export async function startRpcServer(process: ServiceProcess, options: RpcServerOptions): Promise<OpenPorts> {
  const { config, services } = options;
  const { host, rpc, issuersFile, clockToleranceS } = config;
  const { log, metrics } = process;
  const readinessNow = readiness(process, options.ready);
  const observeCall = rpcDurations(metrics, services);
  const denied = denials(metrics, log, services);
  const connections = new CallerConnections(metrics, options.connectionBounds);
  const admission = {
    verifyToken: createTokenVerifier(issuersFile, process.name, denied.withhold, clockToleranceS),
    denials: denied,
    connections,
    staffCalls: new StaffCalls({ ...STAFF_CALL_BOUNDS, ...config.staffCalls }),
  };
  const bounds = {
    readMaxBytes: options.maxRequestBytes ?? MAX_REQUEST_BYTES,
    writeMaxBytes: MAX_RESPONSE_BYTES,
    maxTimeoutMs: MAX_TIMEOUT_MS,
  };
  const pipeline = {
    requestGate: callGate(log, observeCall, admission),
    interceptors: callInterceptors(log, observeCall),
    log,
    observeCall,
    admission,
    ...bounds,
  };
  const app = rpcApp(connections);
  const sets = new CallSets(pipeline);
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (!isSet(raw)) return void done();
    reply.hijack();
    void sets.answer(raw, reply.raw);
  });
  await app.register(fastifyConnectPlugin, {
    routes(router) {
      sets.register(router, options.routes);
      const names = services.map(({ typeName }) => typeName);
      const isReady = async () => (await readinessNow()).ready;
      serveHealth(router, { names, ready: isReady, stopping: process.stopping });
      serveReflection(router, services);
      blameCallers(router);
    },
    contextValues: ({ raw }) => valuesOf(raw),
    // A mistyped field must not pass as an omitted one.
    jsonOptions: { ignoreUnknownFields: false, ...(options.types ? { registry: options.types } : {}) },
    ...pipeline,
  });
  const pages = 'port' in rpc ? bareApp() : app;
  pages.register(pageRoutes(readinessNow, scraperOf(metrics, log)));
  await Promise.all([app.ready(), pages.ready()]);
  if (!('port' in rpc)) return await listenPlain(process, { host, ...rpc }, app.routing, connections);
  const privately = { host, port: rpc.privatePort };
  const http1Port = await listenHttp1(process, 'private listener', privately, pages.routing);
  const http2Port = await listenTls(process, { host, ...rpc }, app.routing, connections);
  return { http1Port, http2Port };
}

function readiness(process: ServiceProcess, ready: () => Promise<unknown>): () => Promise<Readiness> {
  const note = readinessLog(process.log);
  return async () => {
    if (process.stopping.aborted) return { ready: false };
    const answer = ready().then(
      () => ({ ready: true }),
      (error: unknown) => ({ ready: false, lacks: lackIn(error) }),
    );
    const late = () => ({ ready: false, lacks: `no response within ${READY_TIMEOUT_MS} ms` });
    const readiness = await within(READY_TIMEOUT_MS, answer, late);
    note(readiness);
    return readiness;
  };
}

/** A call's caller (see `callerOf`), RPC, and a signal that aborts at its deadline or disconnection. */
export type RpcCall = Pick<HandlerContext, 'values' | 'method' | 'signal'>;

/**
 * The handlers of a service. They reject with a refusal (`lib/rpc/refusal`) for errors that a caller can cause; any
 * other error is internal. A stream bounds its own duration and ends when the call's signal aborts.
 */
export type RpcHandlers<Service extends DescService> = {
  [Name in keyof Service['method']]: RpcHandler<Service['method'][Name]>;
};

type RpcHandler<Method extends DescMethod> = (
  request: MessageShape<Method['input']>,
  call: RpcCall,
) => Method extends { readonly methodKind: 'server_streaming' }
  ? AsyncIterable<MessageInitShape<Method['output']>>
  : Promise<MessageInitShape<Method['output']>>;
