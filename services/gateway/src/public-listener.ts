import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { Connections } from './connections/connections.ts';
import { RawRequests } from './connections/raw-requests.ts';
import type { Context } from './context.ts';
import { renderError } from './errors/render-error.ts';
import { toPublicError } from './errors/to-public-error.ts';
import { listenerLimit, type Sender } from './limits/limit.ts';
import type { Listener } from './metrics.ts';
import { logRequests } from './plugins/access-log.ts';
import { admitAtMost } from './plugins/admission.ts';
import { answerErrors } from './plugins/error-handler.ts';
import { refuseAmbiguous } from './plugins/framing.ts';
import { measureRequests } from './plugins/measure-requests.ts';
import { type Route, refuseUnknown } from './plugins/not-found.ts';
import { limitAddresses } from './plugins/rate-limit.ts';
import { carryRequestId } from './plugins/request-id.ts';
import { closeAfterRefusal, holdContinue } from './plugins/unread-body.ts';
import { MAX_IN_FLIGHT, serverOptions } from './server-options.ts';

export interface PublicListenerOptions {
  readonly listener: Listener;
  /** The operations, whose paths have no trailing slash; omitted for a listener of pages. */
  readonly operations?: readonly Route[];
  /** Checks that run before the address limit. */
  readonly first?: (app: FastifyInstance) => void;
  readonly maxInFlight?: number | undefined;
}

type Needs = Pick<Context, 'config' | 'log' | 'metrics' | 'clock' | 'checkLimit'>;

/**
 * Builds what both public listeners share: connection limits, and the checks before authentication. The hooks run in
 * the order of their registration here, which is the order of checks that the contract promises. Implements
 * docs/contract.md, sections 1 and 9.
 */
export function publicListener(
  context: Needs,
  { listener, operations, first, maxInFlight = MAX_IN_FLIGHT }: PublicListenerOptions,
): FastifyInstance {
  const { config, log, metrics } = context;
  const { trustedProxies, connectionsPerAddress, hstsMaxAgeSeconds } = config;
  const limitOf = (from: Sender) => listenerLimit(config, listener, from);
  const connections = new Connections({
    listener,
    trustedProxies,
    maxPerAddress: connectionsPerAddress,
    metrics,
  });
  const onEvery =
    hstsMaxAgeSeconds > 0 ? { 'strict-transport-security': `max-age=${hstsMaxAgeSeconds}` } : {};
  const raw = new RawRequests({ listener, connections, limitOf, context, onEvery });
  const app = fastify({
    ...serverOptions(trustedProxies),
    clientErrorHandler: raw.onUnreadable,
    frameworkErrors: (error, _request, reply) => {
      renderError(reply, toPublicError(error));
    },
  });
  answerWith(app.server, onEvery);
  connections.watch(app.server);
  raw.listen(app.server);
  holdContinue(app.server);
  answerErrors(app, log);

  carryRequestId(app);
  logRequests(app, log, listener);
  measureRequests(app, metrics, listener);
  closeAfterRefusal(app, connections);
  admitAtMost(app, metrics, listener, maxInFlight);
  first?.(app);
  limitAddresses(app, context, limitOf);
  refuseAmbiguous(app);
  refuseUnknown(app, operations);
  return app;
}

/** Sets headers before any hook, because errors of the framework itself run no hooks. */
function answerWith(server: Server, headers: Readonly<Record<string, string>>): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  });
}
