import { AsyncLocalStorage } from 'node:async_hooks';
import type { DescMessage, DescService } from '@bufbuild/protobuf';
import {
  type Client,
  type ConnectRouter,
  createClient,
  createRouterTransport,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect';
import { publicError } from '../rpc/rpc-server/call-rules.ts';
import { type Caller, callerKey, principalKey, type SupplierPrincipal } from '../rpc/rpc-server/index.ts';
import { createLogger } from '../runtime/log/index.ts';

/** The caller, and the supplier it acts for, as the server would have verified them. */
export interface TestActor {
  readonly caller: Omit<Caller, 'tokenEndsAt'>;
  readonly principal?: SupplierPrincipal;
}

type Routes = (router: ConnectRouter) => void;

const log = createLogger('test', 'fatal', { write: () => {} });
/** The actor of the current call. */
const acting = new AsyncLocalStorage<TestActor>();
/** Building the handlers takes longer than most calls, so all clients of the same routes share them. */
const transports = new WeakMap<Routes, Transport>();

/**
 * Creates a client that calls the handlers of `routes` in this process, without network, tokens or message rules.
 * Errors are converted as on the server.
 */
export function inProcessClient<Service extends DescService>(
  service: Service,
  routes: Routes,
  actor: TestActor,
): Client<Service> {
  const transport = transports.get(routes) ?? transportTo(routes);
  transports.set(routes, transport);
  return createClient(service, {
    unary: <I extends DescMessage, O extends DescMessage>(
      ...call: Parameters<typeof transport.unary<I, O>>
    ) => acting.run(actor, () => transport.unary(...call)),
    stream: <I extends DescMessage, O extends DescMessage>(
      ...call: Parameters<typeof transport.stream<I, O>>
    ) => acting.run(actor, () => transport.stream(...call)),
  });
}

function transportTo(routes: Routes): Transport {
  const verified: Interceptor = (next) => (request) => {
    const actor = acting.getStore();
    if (actor === undefined) throw new Error('a call that no client made');
    request.contextValues
      .set(callerKey, { ...actor.caller, tokenEndsAt: Number.POSITIVE_INFINITY })
      .set(principalKey, actor.principal);
    return next(request).catch((error: unknown) => {
      throw publicError(error, request.method.name, log);
    });
  };
  return createRouterTransport(routes, { router: { interceptors: [verified] } });
}
