import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { closeLingering } from '@supplier/lib/rpc/unread-body';
import type { FastifyReply, FastifyServerOptions } from 'fastify';

/** The body of a response to a request that can't be read. */
export const UNREADABLE = { code: 'invalid_argument', message: 'This request cannot be read.' };

/** Statuses of requests that Node's parser gives up on, by its code. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Returns the options of a server that sends these headers, and the console's body, with the responses that run no
 * hooks: to paths that the router can't decode, and to requests that Node can't parse.
 */
export const refuseUnreadable = (
  headers: Readonly<Record<string, string>>,
): Pick<FastifyServerOptions, 'frameworkErrors' | 'clientErrorHandler'> => ({
  frameworkErrors: (_error, _request, reply) => void refuse(reply, headers),
  clientErrorHandler(error, socket) {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = STATUSES[error.code] ?? 400;
    const body = JSON.stringify(UNREADABLE);
    const head = {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    closeLingering(socket);
  },
});

const refuse = (reply: FastifyReply, headers: Readonly<Record<string, string>>): FastifyReply =>
  reply.headers(headers).code(400).send(UNREADABLE);

/** Serves requests with an unknown `Expect`, which Node would refuse without headers. */
export const serveExpectations = (server: Server): void =>
  void server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
