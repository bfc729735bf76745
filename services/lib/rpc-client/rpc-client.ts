import type { DescService } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import { type Client, Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createTransport } from '@connectrpc/connect/protocol-connect';
import { continueTrace, currentContext } from '../request-context/index.ts';
import { undiciHttpClient } from './http-client.ts';
import type { ServiceTokens } from './service-tokens.ts';

const DEFAULT_TIMEOUT_MS = 4_000;
const MAX_BYTES = 4 * 1024 * 1024;

export interface RpcClientOptions {
  /** Where the service listens for Connect over HTTP/1.1. */
  readonly baseUrl: string;
  /** The name of the called service. */
  readonly audience: string;
  readonly tokens: ServiceTokens;
  /** For the whole call, in milliseconds; 4,000 unless told. */
  readonly timeoutMs?: number;
}

/** A restarted service leaves stale connections behind: a call that broke on one is no reason to fail. */
const retryBroken: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    const broken =
      error instanceof ConnectError && error.code === Code.Unavailable && error.cause !== undefined;
    if (!broken || request.signal.aborted || request.method.idempotency === Idempotency.IDEMPOTENCY_UNKNOWN)
      throw error;
    return next(request);
  }
};

/**
 * A client of another service. Every call carries this process's token, the request id and trace of the work at hand,
 * and a deadline. A call whose connection broke is made once more if its contract says that it may be. Unary only: binary messages over kept-alive HTTP/1.1, the fastest way measured.
 */
export function createRpcClient<Service extends DescService>(
  service: Service,
  { baseUrl, audience, tokens, timeoutMs = DEFAULT_TIMEOUT_MS }: RpcClientOptions,
): Client<Service> {
  const identify: Interceptor = (next) => async (request) => {
    request.header.set('authorization', `Bearer ${await tokens.tokenFor(audience)}`);
    const context = currentContext();
    if (context) request.header.set('x-request-id', context.requestId);
    request.header.set('traceparent', context?.traceParent ?? continueTrace(undefined));
    return next(request);
  };
  const transport = createTransport({
    baseUrl,
    httpClient: undiciHttpClient(baseUrl),
    useBinaryFormat: true,
    interceptors: [retryBroken, identify],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    readMaxBytes: MAX_BYTES,
    writeMaxBytes: MAX_BYTES,
    defaultTimeoutMs: timeoutMs,
  });
  return createClient(service, transport);
}
