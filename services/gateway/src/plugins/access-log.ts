import { isIP } from 'node:net';
import type { Logger } from '@supplier/lib/runtime/log';
import { traceFields } from '@supplier/lib/runtime/request-context';
import type { FastifyInstance } from 'fastify';
import type { PublicCode } from '../errors/error-table.ts';
import type { Listener } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of its answer; null for every other answer. */
    refusedAs: PublicCode | null;
    /** The public id of the credential that it carried, whether that is valid or not; null without a well-formed one. */
    publicId: string | null;
  }
}

/**
 * Writes one line per answered request: from which address and with which credential, and how it ended. Never its body,
 * its query, its credential's secret, or its path, which can hold anything.
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
        // What a proxy forwards can be any text.
        address: isIP(request.ip) === 0 ? undefined : request.ip,
        public_id: request.publicId ?? undefined,
        account_id: request.principal?.accountId,
      },
      'request',
    );
    done();
  });
}
