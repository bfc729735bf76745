import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Connections } from '../connections/connections.ts';

/** Requests whose sender waits for `100 Continue` before sending the body. */
const waiting = new WeakSet<IncomingMessage>();

/** Keeps the server from inviting a body that may never be read. */
export function holdContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/**
 * Sends `100 Continue` to a waiting sender when a body of at most `maxBytes` is about to be read, after every check
 * that needs no body.
 */
export function continueToBody(app: FastifyInstance, maxBytes: number): void {
  app.addHook('preParsing', ({ raw, method }, reply, payload, done) => {
    const announced = Number(raw.headers['content-length'] ?? 0);
    if (method === 'POST' && announced <= maxBytes && waiting.delete(raw)) reply.raw.writeContinue();
    done(null, payload);
  });
}

/**
 * Closes a connection after a response that is sent before the request's body has arrived, because the body may never
 * come. Also closes it after many consecutive 429s, and after an `Upgrade` offer: the parser drops everything in the
 * same packet as the offer, and a request in it would wait indefinitely.
 */
export function closeAfterRefusal(app: FastifyInstance, connections: Connections): void {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    const isLast = connections.endsWith(raw.socket, reply.statusCode === 429);
    if (isLast || raw.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (!awaitsBody(raw)) return done(null, payload);
    // Data in the same packet as the head is read by the next event-loop turn.
    setImmediate(() => {
      if (awaitsBody(raw)) {
        reply.header('connection', 'close');
        connections.countClosed('unread body');
        // A sender that waits for an invitation sends nothing.
        if (!waiting.has(raw)) connections.keepForUpload(raw.socket);
      }
      done(null, payload);
    });
  });
}

function awaitsBody({ complete, headers }: IncomingMessage): boolean {
  if (complete !== false) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
