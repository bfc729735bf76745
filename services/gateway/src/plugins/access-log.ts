import type { Logger } from '@supplier/lib/log';
import type { FastifyInstance } from 'fastify';

/** Writes one line per answered request: never its body, its query or its credential. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        method: request.method,
        // The pattern, not the path: a path can hold anything.
        route: request.is404 ? undefined : request.routeOptions.url,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        request_id: request.id,
        account_id: request.principal?.accountId,
      },
      'request',
    );
    done();
  });
}
