import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { hasFormOfUuid } from '@supplier/lib/text/ids';
import type { FastifyInstance } from 'fastify';
import { openRequestSpan } from './request-span.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's id behind the gateway: its own id if that is a UUID, otherwise a generated one. */
    innerId: string;
  }
}

/** Visible ASCII: safe in a header, a log line and an event. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** Returns the sender's X-Request-Id, or a new UUID if it is missing or unusable. Never rejects. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

/**
 * Sets the request id on the response. If it is a UUID, services and events get it too; otherwise they get a generated
 * id, because stored data must not contain an applicant's details. Also sets `nosniff` on the response. Starts a new
 * trace: an outsider's trace is not trusted. Implements docs/contract.md, sections 1 and 10.
 */
export function carryRequestId(app: FastifyInstance): void {
  app.decorateRequest('traceParent', '');
  app.decorateRequest('innerId', '');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    // A UUID identifies no person. Any other text might, so it appears only in the response and the gateway's log.
    request.innerId = hasFormOfUuid(request.id) ? request.id : randomUUID();
    const span = openRequestSpan(request, reply);
    if (span) request.traceParent = span.traceParent;
    runInContext({ requestId: request.innerId, traceParent: request.traceParent, span }, done);
  });
}
