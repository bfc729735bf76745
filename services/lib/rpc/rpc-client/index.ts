import { create, type DescService, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { PrincipalSchema } from '@supplier/proto/common/v1/principal';
import type { buildConnector } from 'undici';
import type { Logger } from '../../runtime/log/index.ts';
import { currentContext } from '../../runtime/request-context/index.ts';
import { type TlsFiles, tlsConnector } from '../../runtime/tls/index.ts';
import { PRINCIPAL_HEADER } from '../rpc-server/caller.ts';
import type { BatchOptions } from './batch-calls.ts';
import { CONNECT_TIMEOUT_MS } from './http-client.ts';
import { type ServiceTokens, serviceTokens } from './service-tokens.ts';
import { rpcTransport } from './transport.ts';

export { boundCalls } from './bound-calls.ts';
export { type ServiceTokens, serviceTokens } from './service-tokens.ts';

const DEFAULT_TIMEOUT_MS = 4_000;

export interface RpcClientOptions<Service extends DescService = DescService> {
  /** URL of the service's Connect listener over HTTP/1.1. */
  readonly baseUrl: string;
  readonly audience: string;
  readonly tokens: ServiceTokens;
  /** Opens the connections; see `rpcAccess`. */
  readonly connect?: buildConnector.connector | undefined;
  /** Timeout of a whole call, in milliseconds; 4,000 by default. */
  readonly timeoutMs?: number;
  /** Frequently called methods whose simultaneous calls share one exchange. None by default. */
  readonly together?: Readonly<Partial<Record<keyof Service['method'], BatchOptions>>>;
  /** Outermost first. */
  readonly interceptors?: readonly Interceptor[];
}

/**
 * Creates a client for calls to another service, with this process's token, the request id, trace and a deadline.
 * Repeats a call whose connection broke if its contract allows that.
 */
export function createRpcClient<Service extends DescService>(
  service: Service,
  options: RpcClientOptions<Service>,
): Client<Service> {
  const { audience, tokens, timeoutMs = DEFAULT_TIMEOUT_MS, ...others } = options;
  const identify = async () => {
    const authorization = `Bearer ${await tokens.tokenFor(audience)}`;
    const context = currentContext();
    const headers: Record<string, string> = { authorization };
    if (!context) return headers;
    if (context.requestId !== '') headers['x-request-id'] = context.requestId;
    if (context.traceParent !== '') headers.traceparent = context.traceParent;
    return headers;
  };
  return createClient(service, rpcTransport({ ...others, defaultTimeoutMs: timeoutMs, identify }));
}

/** How a process calls other services: its tokens, and connections secured by its TLS files. */
export type RpcAccess = Pick<RpcClientOptions, 'tokens' | 'connect'>;

/** Returns the access that the configuration describes. Throws a ConfigError for unusable TLS files. */
export function rpcAccess(
  { serviceTokenDir, tls }: { readonly serviceTokenDir: string; readonly tls: TlsFiles },
  log: Logger,
): RpcAccess {
  return { tokens: serviceTokens(serviceTokenDir), connect: tlsConnector(tls, log, CONNECT_TIMEOUT_MS) };
}

/** A supplier principal, encoded for a call header. Encode it once for many calls of the same supplier. */
export type EncodedPrincipal = string & { readonly __brand: 'EncodedPrincipal' };

export function encodePrincipal(principal: MessageInitShape<typeof PrincipalSchema>): EncodedPrincipal {
  const bytes = toBinary(PrincipalSchema, create(PrincipalSchema, principal));
  return Buffer.from(bytes).toString('base64url') as EncodedPrincipal;
}

/** Returns options for a call on behalf of a supplier or, without a principal, of the service itself. */
export function callOptions(
  principal?: EncodedPrincipal | MessageInitShape<typeof PrincipalSchema>,
): CallOptions {
  if (!principal) return {};
  const encoded = typeof principal === 'string' ? principal : encodePrincipal(principal);
  return { headers: { [PRINCIPAL_HEADER]: encoded } };
}
