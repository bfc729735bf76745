import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Connections } from '../connections/connections.ts';

/** Requests whose sender waits for `100 Continue` before it sends the body. */
const waiting = new WeakSet<IncomingMessage>();

/** Keeps the server from inviting a body that may never be read. */
export function holdContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/**
 * Says `100 Continue` where one is waited for, when a body of at most `maxBytes` is about to be read: after every check
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
 * Ends a connection with an answer that is given before the request's body is here: nobody knows when that comes, or
 * whether. It ends too after many answers 429 in a row, and after an offer to go on in another protocol: the parser drops
 * what came in one packet with that, and a request in it would wait for ever.
 */
export function closeAfterRefusal(app: FastifyInstance, connections: Connections): void {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    const isLast = connections.endsWith(raw.socket, reply.statusCode === 429);
    if (isLast || raw.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (!awaitsBody(raw)) return done(null, payload);
    // What came in one packet with the head is read by the next turn.
    setImmediate(() => {
      if (awaitsBody(raw)) {
        reply.header('connection', 'close');
        connections.countClosed('unread body');
        // One that waits to be invited sends nothing.
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
