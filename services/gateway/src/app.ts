import { type FastifyInstance, fastify } from 'fastify';
import type { Context } from './context.ts';
import { PublicError } from './errors/public-error.ts';
import { renderError } from './errors/render-error.ts';
import { toPublicError } from './errors/to-public-error.ts';
import { operations } from './operations.ts';
import { logRequests } from './plugins/access-log.ts';
import { admitAtMost } from './plugins/admission.ts';
import { authenticateRequests } from './plugins/authentication.ts';
import { answerErrors } from './plugins/error-handler.ts';
import { requireHost } from './plugins/host-header.ts';
import { readJsonBodies } from './plugins/json-body.ts';
import { measureRequests } from './plugins/measure-requests.ts';
import { refuseUnknown } from './plugins/not-found.ts';
import { limitAddresses, limitCredentials } from './plugins/rate-limit.ts';
import { carryRequestId } from './plugins/request-id.ts';
import { requireScope } from './plugins/scope.ts';
import { answerOddRequests } from './plugins/unreadable-request.ts';
import { MAX_CONNECTIONS, MAX_IN_FLIGHT, serverOptions } from './server-options.ts';

/**
 * Builds the public API. The hooks run in the order in which they stand here, which is the order of checks that the
 * contract promises. Implements docs/contract.md, sections 1 and 4.
 */
export function buildApp(context: Context, maxInFlight = MAX_IN_FLIGHT): FastifyInstance {
  const { config, log, metrics } = context;
  const app = fastify({
    ...serverOptions(log, config.trustedProxies),
    // Paths that cannot even be decoded; no hook runs for them.
    frameworkErrors: (error, _request, reply) => {
      renderError(reply, config.open ? toPublicError(error) : environmentClosed());
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  answerOddRequests(app);
  answerErrors(app, log);

  carryRequestId(app);
  logRequests(app, log);
  measureRequests(app, metrics);
  admitAtMost(app, metrics, 'api', maxInFlight);
  refuseWhileClosed(app, config.open);
  limitAddresses(app, context);
  requireHost(app);
  refuseUnknown(app, operations);
  authenticateRequests(app, context);
  limitCredentials(app, context);
  requireScope(app);
  readJsonBodies(app);

  for (const { method, path, anyScope, reference, prepare } of operations) {
    const config = { anyScope, operation: reference.id };
    app.route({ method, url: path, config, handler: prepare(context) });
  }
  return app;
}

/** Answers every request 503, whoever sends it, while the environment is closed. */
function refuseWhileClosed(app: FastifyInstance, open: boolean): void {
  if (open) return;
  app.addHook('onRequest', (_request, _reply, done) => done(environmentClosed()));
}

function environmentClosed(): PublicError {
  return new PublicError('service_unavailable', { sentence: 'This environment is not open yet.' });
}
