import { readTraceParent } from '@supplier/lib/runtime/request-context';
import { type OpenSpan, openSpan } from '@supplier/lib/runtime/tracing';
import { Environment } from '@supplier/proto/common/v1/status';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The `traceparent` of the request's span; empty if nothing is traced. */
    traceParent: string;
  }
}

/** Responses with this status or a higher one are server faults. */
const FIRST_FAULT = 500;
const ENVIRONMENTS: Readonly<Record<Environment, string>> = {
  [Environment.UNSPECIFIED]: 'unspecified',
  [Environment.SANDBOX]: 'sandbox',
  [Environment.PRODUCTION]: 'production',
};

/**
 * Starts the trace of a request, which ends with its response or its connection. A trace sent by an outsider is
 * recorded as a link; it is not continued and does not influence sampling. Never records the path, query or body, which
 * can contain anything.
 */
export function openRequestSpan(request: FastifyRequest, reply: FastifyReply): OpenSpan | undefined {
  const route = request.is404 ? undefined : request.routeOptions.url;
  const span = openSpan(route ? `${request.method} ${route}` : request.method, {
    kind: 'server',
    attributes: { 'http.request.method': request.method, 'sss.request.id': request.innerId },
  });
  if (!span?.isRecording) return span;
  if (route) span.set({ 'http.route': route });
  const sent = request.headers.traceparent;
  if (typeof sent === 'string') span.linkForeign(readTraceParent(sent));
  reply.raw.once('close', () => {
    const { statusCode, headersSent } = reply.raw;
    if (request.principal) {
      const { accountId, environment } = request.principal;
      span.set({ 'sss.account.id': accountId, 'sss.environment': ENVIRONMENTS[environment] });
    }
    if (!headersSent) {
      span.end({ attributes: { 'error.type': 'disconnected' }, isFault: false });
      return;
    }
    span.set({ 'http.response.status_code': statusCode });
    span.end(
      statusCode < FIRST_FAULT
        ? undefined
        : { attributes: { 'error.type': String(statusCode) }, isFault: true },
    );
  });
  return span;
}
