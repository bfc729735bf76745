import { Http2ServerResponse, type IncomingHttpHeaders } from 'node:http2';
import type { FastifyInstance } from 'fastify';
import { bareApp } from '../../runtime/service-runtime/index.ts';
import type { CallerConnections } from './caller-connections.ts';
import { boundUnreadBody } from './open-uploads.ts';

/** The longest deadline that a caller may set, in milliseconds. */
export const MAX_TIMEOUT_MS = 60_000;
const GRPC_UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001 };

/** Creates the application, which bounds the unread rest of a body and each call's deadline. */
export function rpcApp(connections: CallerConnections): FastifyInstance {
  const app = bareApp();
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // Connect would throw when it needs the host name.
    if (!raw.headers.host && !raw.headers[':authority']) return void reply.code(400).send();
    boundUnreadBody(raw, reply.raw);
    if (reply.raw instanceof Http2ServerResponse) writePlainGrpcMessages(reply.raw);
    else if (connections.isEnding(raw)) reply.raw.setHeader('connection', 'close');
    capDeadlines(raw.headers);
    // Node keeps the first of several, and a proxy may have read another: neither is a token.
    if (authorizations(raw.rawHeaders) > 1) delete raw.headers.authorization;
    done();
  });
  return app;
}

/** Counts the `Authorization` headers as received. */
function authorizations(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'authorization') count += 1;
  return count;
}

/** Shortens deadlines beyond the maximum, which Connect would refuse. Malformed ones are left alone. */
function capDeadlines(headers: IncomingHttpHeaders): void {
  const connect = /^\d{1,10}$/.exec(headers['connect-timeout-ms']?.toString() ?? '');
  if (Number(connect?.[0] ?? 0) > MAX_TIMEOUT_MS) headers['connect-timeout-ms'] = String(MAX_TIMEOUT_MS);
  const grpc = /^(\d{1,8})([HMSmu])$/.exec(headers['grpc-timeout']?.toString() ?? '');
  const grpcMs = Number(grpc?.[1] ?? 0) * (GRPC_UNITS_MS[grpc?.[2] ?? ''] ?? 0);
  if (grpcMs > MAX_TIMEOUT_MS) headers['grpc-timeout'] = `${MAX_TIMEOUT_MS}m`;
}

/** Writes printable ASCII in gRPC messages unescaped: grpc-js would show people `first%3A`. */
function writePlainGrpcMessages(response: Http2ServerResponse): void {
  const addTrailers = response.addTrailers.bind(response);
  response.addTrailers = (trailers) => {
    const message = trailers['grpc-message'];
    addTrailers(
      typeof message === 'string' ? { ...trailers, 'grpc-message': plainMessage(message) } : trailers,
    );
  };
}

function plainMessage(escaped: string): string {
  return decodeURIComponent(escaped).replace(/[^ -$&-~]+/gu, encodeURIComponent);
}
