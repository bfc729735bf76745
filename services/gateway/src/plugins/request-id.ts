import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { runInContext } from '@supplier/lib/request-context';
import type { FastifyInstance } from 'fastify';
import { openRequestSpan } from './request-span.ts';

/** Visible ASCII: what can stand in a header, a log line and an event without harm. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The sender's X-Request-Id, or a fresh UUID where it sent none that can be used. Never refuses. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

/**
 * Puts the request id on the answer and on everything that the request causes, and on the answer that its type is to be
 * believed. A trace begins here: what an outsider
 * sends as one is not believed. Implements docs/contract.md, section 1.
 */
export function carryRequestId(app: FastifyInstance): void {
  app.decorateRequest('traceParent', '');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const span = openRequestSpan(request, reply);
    if (span) request.traceParent = span.traceParent;
    runInContext({ requestId: request.id, traceParent: request.traceParent, span }, done);
  });
}
