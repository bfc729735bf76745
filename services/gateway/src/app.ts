import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { PublicError } from './errors/public-error.ts';
import { operations } from './operations.ts';
import { authenticateRequests } from './plugins/authentication.ts';
import { MAX_BODY_BYTES, readJsonBodies } from './plugins/json-body.ts';
import { measureFromZero } from './plugins/measure-requests.ts';
import { requireScope } from './plugins/principal.ts';
import { limitCredentials } from './plugins/rate-limit.ts';
import { continueToBody } from './plugins/unread-body.ts';
import { publicListener } from './public-listener.ts';

/**
 * Builds the public API. The hooks run in the order of their registration here, which is the order of checks that the
 * contract promises. Implements docs/contract.md, sections 1 and 4.
 */
export function buildApp(context: Context, maxInFlight?: number): FastifyInstance {
  const app = publicListener(context, {
    listener: 'api',
    operations,
    first: (listener) => refuseWhileClosed(listener, context.config.open),
    maxInFlight,
  });
  authenticateRequests(app, context);
  limitCredentials(app, context);
  requireScope(app);
  readJsonBodies(app);
  continueToBody(app, MAX_BODY_BYTES);

  for (const { method, path, anyScope, reference, prepare } of operations) {
    const config = { anyScope, operation: reference.id };
    measureFromZero(context.metrics, reference.id, Object.keys(reference.answers).map(Number));
    app.route({ method, url: path, config, handler: prepare(context) });
  }
  return app;
}

/** Returns 503 for every request from any sender while the environment is closed. */
function refuseWhileClosed(app: FastifyInstance, open: boolean): void {
  if (open) return;
  app.addHook('onRequest', (_request, _reply, done) => {
    done(new PublicError('service_unavailable', { message: 'This environment is not available yet.' }));
  });
}
