import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';
import { headerValues } from './header-values.ts';

/** A host name or an address, an IPv6 address in brackets, with an optional port. */
const HOST = /^(?:[\w.~-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Rejects requests whose target or end two parsers could read differently. The server leaves these checks to this hook,
 * because its own response has no request id. Implements docs/contract.md, section 1.
 */
export function refuseAmbiguous(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const message = hostProblem(request.raw) ?? lengthProblem(request.raw);
    // The end of the request is ambiguous, so nothing after it is read.
    if (message) done(new PublicError('bad_request', { message, headers: { connection: 'close' } }));
    else done();
  });
}

function hostProblem(request: IncomingMessage): string | undefined {
  const [host, second] = headerValues(request, 'host');
  if (second !== undefined) return 'There is more than one Host header.';
  if (host === undefined) return 'The Host header is missing.';
  return HOST.test(host) ? undefined : 'The Host header is malformed.';
}

function lengthProblem(request: IncomingMessage): string | undefined {
  if (request.headers['transfer-encoding'] === undefined) return undefined;
  const [coding, second] = headerValues(request, 'transfer-encoding');
  if (second !== undefined || coding?.trim().toLowerCase() !== 'chunked') {
    return 'The Transfer-Encoding must be chunked, once.';
  }
  if (request.httpVersion !== '1.1') return 'Do not send Transfer-Encoding with HTTP/1.0.';
  return request.headers['content-length'] === undefined
    ? undefined
    : 'Send either Content-Length or Transfer-Encoding.';
}
