import { isIP } from 'node:net';
import type { Logger } from '@supplier/lib/runtime/log';
import { traceFields } from '@supplier/lib/runtime/request-context';
import type { FastifyInstance } from 'fastify';
import type { PublicCode } from '../errors/error-table.ts';
import type { Listener } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of the response; null for any other response. */
    refusedAs: PublicCode | null;
    /** The public id of the credential, valid or not; null without a well-formed one. */
    publicId: string | null;
  }
}

/**
 * Writes one line per response: the address, the credential and the outcome. Never logs the body, the query, the
 * credential's secret, or the path, which can contain anything.
 */
export function logRequests(app: FastifyInstance, log: Logger, listener: Listener): void {
  app.decorateRequest('refusedAs', null);
  app.decorateRequest('publicId', null);
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        listener,
        method: request.method,
        route: request.is404 ? undefined : request.routeOptions.url,
        status: reply.statusCode,
        outcome: request.refusedAs ?? (reply.statusCode < 400 ? 'ok' : 'refused'),
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        request_id: request.id,
        inner_request_id: request.innerId === request.id ? undefined : request.innerId,
        ...traceFields(request.traceParent),
        // A proxy can forward arbitrary text.
        address: isIP(request.ip) === 0 ? undefined : request.ip,
        public_id: request.publicId ?? undefined,
        account_id: request.principal?.accountId,
      },
      'request',
    );
    done();
  });
}
