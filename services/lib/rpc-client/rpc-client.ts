import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { continueTrace, currentContext } from '../request-context/index.ts';
import type { ServiceTokens } from './service-tokens.ts';
import { unaryTransport } from './unary-transport.ts';

const DEFAULT_TIMEOUT_MS = 4_000;

export interface RpcClientOptions {
  /** Where the service listens for Connect over HTTP/1.1. */
  readonly baseUrl: string;
  /** The name of the called service. */
  readonly audience: string;
  readonly tokens: ServiceTokens;
  /** For the whole call, in milliseconds; 4,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * A client of another service. Every call carries this process's token, the request id and trace of the work at hand,
 * and a deadline. A call whose connection broke is made once more if its contract says that it may be. Unary only.
 */
export function createRpcClient<Service extends DescService>(
  service: Service,
  { baseUrl, audience, tokens, timeoutMs = DEFAULT_TIMEOUT_MS }: RpcClientOptions,
): Client<Service> {
  const identify = async () => {
    const authorization = `Bearer ${await tokens.tokenFor(audience)}`;
    const context = currentContext();
    const traceparent = context?.traceParent ?? continueTrace(undefined);
    return context
      ? { authorization, traceparent, 'x-request-id': context.requestId }
      : { authorization, traceparent };
  };
  return createClient(service, unaryTransport({ baseUrl, defaultTimeoutMs: timeoutMs, identify }));
}
