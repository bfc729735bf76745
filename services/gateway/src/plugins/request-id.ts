import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { hasFormOfUuid } from '@supplier/lib/text/ids';
import type { FastifyInstance } from 'fastify';
import { openRequestSpan } from './request-span.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is known by behind the gateway: its id where that is a UUID, else one of ours. */
    innerId: string;
  }
}

/** Visible ASCII: what can stand in a header, a log line and an event without harm. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The sender's X-Request-Id, or a fresh UUID where it sent none that can be used. Never refuses. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

/**
 * Puts the request id on the answer, and on everything that the request causes where it is a UUID: else an id of ours, since
 * what is kept must hold nothing of an applicant. Says on the answer that its type is to be believed. A trace begins here:
 * what an outsider sends as one is not believed. Implements docs/contract.md, sections 1 and 10.
 */
export function carryRequestId(app: FastifyInstance): void {
  app.decorateRequest('traceParent', '');
  app.decorateRequest('innerId', '');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    // A UUID names nobody. Any other text may: it goes no further than the answer and the gateway's log.
    request.innerId = hasFormOfUuid(request.id) ? request.id : randomUUID();
    const span = openRequestSpan(request, reply);
    if (span) request.traceParent = span.traceParent;
    runInContext({ requestId: request.innerId, traceParent: request.traceParent, span }, done);
  });
}
