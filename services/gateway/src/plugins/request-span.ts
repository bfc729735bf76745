import { readTraceParent } from '@supplier/lib/runtime/request-context';
import { type OpenSpan, openSpan } from '@supplier/lib/runtime/tracing';
import { Environment } from '@supplier/proto/common/v1/status';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The `traceparent` of its span; empty where nothing is traced. */
    traceParent: string;
  }
}

/** From this status on an answer is a failure of ours. */
const FIRST_FAULT = 500;
const ENVIRONMENTS: Readonly<Record<Environment, string>> = {
  [Environment.UNSPECIFIED]: 'unspecified',
  [Environment.SANDBOX]: 'sandbox',
  [Environment.PRODUCTION]: 'production',
};

/**
 * Begins the trace of a request, which ends with its answer or its connection. What an outsider sends as a trace is not
 * continued, and has no say in sampling: it is noted as a link. Never the path, the query or the body, which can hold
 * anything.
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
