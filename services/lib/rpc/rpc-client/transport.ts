import { setTimeout as pause } from 'node:timers/promises';
import { create, type DescMessage, isMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type Transport,
  type UnaryResponse,
} from '@connectrpc/connect';
import { createTransport } from '@connectrpc/connect/protocol-connect';
import { type buildConnector, Pool } from 'undici';
import { inRpcSpan } from '../../runtime/tracing/index.ts';
import { type BatchOptions, batchCalls } from './batch-calls.ts';
import { boundCalls, inSlots, Slots } from './bound-calls.ts';
import { CONNECT_TIMEOUT_MS, httpClient, isBroken, MAX_BYTES } from './http-client.ts';

const CONNECTIONS = 32;
const KEEP_ALIVE_MS = 60_000;
const MAX_WAITING = 4_000;
const MAX_TIMEOUT_MS = 60_000;
/** Pause between a broken connection and the next attempt. */
const SETTLE_MS = 50;
const MAX_TRIES = 3;
/** For calls that nobody can cancel. */
const NEVER = new AbortController().signal;

export interface RpcTransportOptions {
  readonly baseUrl: string;
  /** Opens the connections; if absent, none of this process's TLS files are used. */
  readonly connect?: buildConnector.connector | undefined;
  /** For calls without their own timeout, in milliseconds. */
  readonly defaultTimeoutMs: number;
  /** Headers of every call; they override the caller's. */
  readonly identify: () => Promise<Record<string, string>>;
  /** Outermost first; they see each call once, with its caller's timeout. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Methods, by name, whose simultaneous calls share one exchange. */
  readonly together?: Readonly<Record<string, BatchOptions | undefined>> | undefined;
}

/**
 * Creates a transport for Connect with binary messages over kept-alive HTTP/1.1. Calls of the methods in `together`
 * travel in sets, all others through Connect's own transport; both pass the same interceptors. Rejects with a
 * ConnectError: the server's own; UNAVAILABLE, with the cause, if no complete answer arrives after up to two more
 * attempts where the method's contract allows them; DEADLINE_EXCEEDED; CANCELED; RESOURCE_EXHAUSTED if a message
 * exceeds 4 MiB.
 */
export function rpcTransport(options: RpcTransportOptions): Transport {
  const { baseUrl, connect, defaultTimeoutMs, identify, interceptors = [], together = {} } = options;
  const pool = new Pool(new URL(baseUrl).origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: connect ?? { timeout: CONNECT_TIMEOUT_MS },
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Each call has its own deadline, which covers all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const shared = [...interceptors, inSpan, identified(identify), repeatIfBroken];
  const inSet = boundCalls({ maxConcurrent: MAX_WAITING, maxWaiting: 0, maxWaitMs: 0 });
  // A request without a connection of its own would stay in the pool's queue after its calls have ended.
  const connections = new Slots({
    maxConcurrent: CONNECTIONS,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_TIMEOUT_MS,
  });
  const single = createTransport({
    baseUrl,
    httpClient: httpClient(pool),
    interceptors: [...shared, inSlots(connections)],
    useBinaryFormat: true,
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: 0,
    readMaxBytes: MAX_BYTES,
    writeMaxBytes: MAX_BYTES,
  });
  const joins = new Map<string, ReturnType<typeof batchCalls>>();
  for (const [name, batch] of Object.entries(together))
    if (batch) joins.set(name, batchCalls(pool, connections, batch));

  return {
    async unary<Input extends DescMessage, Output extends DescMessage>(
      ...[method, signal, timeoutMs, header, message, values]: Parameters<typeof single.unary<Input, Output>>
    ): Promise<UnaryResponse<Input, Output>> {
      const ms = boundedMs(timeoutMs ?? defaultTimeoutMs);
      const join = joins.get(method.localName);
      if (!join) return single.unary(method, signal, ms, header, message, values);
      const endsAt = performance.now() + ms;
      const send: ReturnType<Interceptor> = (request) => join(request, endsAt);
      const call = [...shared, inSet].reduceRight((next, interceptor) => interceptor(next), send);
      return call({
        stream: false,
        service: method.parent,
        method,
        requestMethod: 'POST',
        url: `${baseUrl}/${method.parent.typeName}/${method.name}`,
        signal: signal ?? NEVER,
        header: new Headers(header),
        contextValues: values ?? createContextValues(),
        message: messageOf(method.input, message),
      }) as Promise<UnaryResponse<Input, Output>>;
    },
    stream: (method, signal, timeoutMs, header, messages, values) =>
      single.stream(method, signal, boundedMs(timeoutMs ?? defaultTimeoutMs), header, messages, values),
  };
}

const boundedMs = (ms: number) => Math.ceil(ms > 0 ? Math.min(ms, MAX_TIMEOUT_MS) : MAX_TIMEOUT_MS);

const messageOf = <Input extends DescMessage>(schema: Input, message: MessageInitShape<Input>) =>
  isMessage(message, schema) ? message : create(schema, message);

const inSpan: Interceptor = (next) => (request) =>
  inRpcSpan('client', `${request.service.typeName}/${request.method.name}`, () => next(request));

function identified(identify: RpcTransportOptions['identify']): Interceptor {
  return (next) => async (request) => {
    for (const [name, value] of Object.entries(await identify())) request.header.set(name, value);
    return next(request);
  };
}

/**
 * Retries a repeatable call up to three times within its deadline: a restarted service leaves stale connections, and a
 * starting one may not accept connections at once.
 */
const repeatIfBroken: Interceptor = (next) => async (request) => {
  const { method, signal } = request;
  const isRepeatable = !request.stream && method.idempotency !== Idempotency.IDEMPOTENCY_UNKNOWN;
  for (let tries = 1; ; tries += 1) {
    try {
      return await next(request);
    } catch (error) {
      if (!isRepeatable || tries === MAX_TRIES || !isBroken(error)) throw error;
      await pause(SETTLE_MS, undefined, { signal }).catch(() => {
        throw ConnectError.from(signal.reason, Code.Canceled);
      });
    }
  }
};
