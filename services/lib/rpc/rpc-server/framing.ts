import type { IncomingHttpHeaders } from 'node:http';
import {
  contentTypeStreamProto,
  contentTypeUnaryProto,
  protocolVersion,
} from '@connectrpc/connect/protocol-connect';
import type { FastifyInstance } from 'fastify';

/** The framing of a Connect call over HTTP/1.1: one binary message, or a stream of them, uncompressed. */
type Framing = 'message' | 'stream';
type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];

/** Restricts routes with the constraint `framing` to calls framed as between our services. */
export const framing: Strategy = {
  name: 'framing',
  storage() {
    const routes = new Map<unknown, ReturnType<ReturnType<Strategy['storage']>['get']>>();
    return { get: (key) => routes.get(key) ?? null, set: (key, route) => void routes.set(key, route) };
  },
  deriveConstraint: ({ headers, httpVersionMajor }) =>
    httpVersionMajor === 1 ? framingOf(headers) : undefined,
};

function framingOf(headers: IncomingHttpHeaders): Framing | undefined {
  if (headers['connect-protocol-version'] !== protocolVersion) return undefined;
  if (headers['content-encoding'] !== undefined) return undefined;
  switch (headers['content-type']) {
    case contentTypeUnaryProto:
      return headers['accept-encoding'] === undefined ? 'message' : undefined;
    case contentTypeStreamProto:
      return headers['connect-content-encoding'] === undefined ? 'stream' : undefined;
    default:
      return undefined;
  }
}
