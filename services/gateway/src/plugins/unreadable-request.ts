import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '@supplier/lib/log';
import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';
import { renderRawError } from '../errors/render-error.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** Answers bytes that are no HTTP request, or not all of one in time, in the contract's error shape. */
export function answerUnreadable(log: Logger) {
  return (error: Error & { code?: string }, socket: Duplex): void => {
    // A reset connection is gone already.
    if (error.code !== 'ECONNRESET' && socket.writable) {
      const requestId = randomUUID();
      log.info({ code: error.code, status: 400, request_id: requestId }, 'unreadable request');
      const answer = new PublicError('bad_request', { sentence: SENTENCES[error.code ?? ''] });
      socket.write(renderRawError(answer, requestId));
    }
    socket.destroy(error);
  };
}

/** A socket that left HTTP is answered, and closed after this time whatever its other end does. */
const RAW_ANSWER_MS = 1_000;

/**
 * Routes what Node's server would answer by itself, and without a request id, to the application. An `Upgrade` is not
 * listened for: without a listener Node reads it as the plain request that it is.
 */
export function answerOddRequests(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response);
  });
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    answerRaw(socket, renderRawError(new PublicError('not_found'), randomUUID()));
  });
}

/** Node hands over a `CONNECT` socket bare: nobody else listens for its errors, reads it or ends it in time. */
function answerRaw(socket: Duplex, answer: string): void {
  // A connection that breaks is gone already; without a listener its error would end the process.
  socket.on('error', () => {});
  const cut = setTimeout(() => socket.destroy(), RAW_ANSWER_MS);
  socket.once('close', () => clearTimeout(cut));
  // What still comes is dropped, so that the end of the connection is seen behind it.
  socket.resume();
  socket.end(answer);
}
