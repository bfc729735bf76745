import type { DescService } from '@bufbuild/protobuf';
import {
  type Client,
  type ConnectRouter,
  createClient,
  createRouterTransport,
  type Interceptor,
} from '@connectrpc/connect';
import { createLogger } from '../log/index.ts';
import { publicError } from '../rpc-server/call-rules.ts';
import { type Caller, callerKey, principalKey, type SupplierPrincipal } from '../rpc-server/index.ts';

/** Who makes a call, and on whose behalf: what the server would have verified. */
export interface TestActor {
  readonly caller: Omit<Caller, 'tokenEndsAt'>;
  readonly principal?: SupplierPrincipal;
}

const log = createLogger('test', 'fatal', { write: () => {} });

/**
 * A client that calls the handlers of `routes` in this process, without a network, tokens or rules of messages. Errors are
 * told apart as the server does.
 */
export function inProcessClient<Service extends DescService>(
  service: Service,
  routes: (router: ConnectRouter) => void,
  { caller, principal }: TestActor,
): Client<Service> {
  const verified: Interceptor = (next) => (request) => {
    request.contextValues
      .set(callerKey, { ...caller, tokenEndsAt: Number.POSITIVE_INFINITY })
      .set(principalKey, principal);
    return next(request).catch((error: unknown) => {
      throw publicError(error, request.method.name, log);
    });
  };
  return createClient(service, createRouterTransport(routes, { router: { interceptors: [verified] } }));
}
