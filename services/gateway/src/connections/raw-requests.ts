import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { closeLingering } from '@supplier/lib/rpc/unread-body';
import type { Context } from '../context.ts';
import { ERROR_TABLE } from '../errors/error-table.ts';
import { PublicError } from '../errors/public-error.ts';
import { renderRawError } from '../errors/render-error.ts';
import { type Limit, rateLimited } from '../limits/limit.ts';
import type { Listener } from '../metrics.ts';
import type { Connection, Connections } from './connections.ts';

const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  [TOO_SLOW]: 'The request did not arrive in time.',
};

export interface RawRequestsOptions {
  readonly listener: Listener;
  readonly connections: Connections;
  readonly limitOf: (from: { readonly ip: string }) => Limit;
  /** Headers of every response of the listener. */
  readonly onEvery: Readonly<Record<string, string>>;
  readonly context: Pick<Context, 'log' | 'clock' | 'checkLimit' | 'metrics'>;
}

/**
 * Handles input that reaches no route because Node hands over the bare socket: `CONNECT`, malformed HTTP, and requests
 * that do not arrive in time. Each counts towards the limit of its address, gets one response in the contract's error
 * shape and a log line, and closes the connection.
 *
 * There is no listener for `Upgrade`: without one, Node handles it as a plain request.
 */
export class RawRequests {
  readonly #options: RawRequestsOptions;

  constructor(options: RawRequestsOptions) {
    this.#options = options;
  }

  /** Listens for requests that Node's server would answer itself or close without a response. */
  listen(server: Server): void {
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      server.emit('request', request, response);
    });
    server.on('connect', ({ method }: IncomingMessage, socket: Duplex) => {
      // Node has released the socket: without this listener its errors would be unhandled until the response.
      socket.on('error', () => {});
      void this.#answerConnect(socket, method);
    });
  }

  readonly onUnreadable = (error: Error & { code?: string }, socket: Duplex): void => {
    const { connections, context, listener } = this.#options;
    const connection = connections.of(socket);
    // One response is enough, and a reset connection is already gone.
    if (connection?.isEnding) return;
    if (!connection || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    connections.countClosed(error.code === TOO_SLOW ? 'too slow' : 'unreadable');
    void this.#count(connection);
    // A response in flight belongs to an earlier request: a second one would be mistaken for it.
    const inProgress = [...connection.inProgress];
    if (inProgress.some(({ req, headersSent }) => req.complete || headersSent)) {
      connections.endAfterAnswers(socket, connection);
      return;
    }
    connection.isEnding = true;
    const answer = new PublicError('bad_request', { message: MESSAGES[error.code ?? ''] });
    const requestId = randomUUID();
    this.#write(socket, answer, requestId);
    context.log.info(
      {
        listener,
        code: error.code,
        status: ERROR_TABLE[answer.code].status,
        outcome: answer.code,
        request_id: requestId,
        address: connection.address,
      },
      'unreadable request',
    );
  };

  async #answerConnect(socket: Duplex, method: string | undefined): Promise<void> {
    const { connections, context, listener } = this.#options;
    const connection = connections.of(socket);
    if (!connection || connection.isEnding) {
      socket.destroy();
      return;
    }
    connection.isEnding = true;
    const answer = (await this.#count(connection)) ?? new PublicError('not_found');
    const requestId = randomUUID();
    this.#write(socket, answer, requestId);
    context.log.info(
      {
        listener,
        method,
        status: ERROR_TABLE[answer.code].status,
        outcome: answer.code,
        request_id: requestId,
        address: connection.address,
      },
      'request',
    );
  }

  /**
   * Counts a request; returns the error when the limit of its address is used up. The sender behind a proxy's
   * connection is unknown.
   */
  async #count({ address, isProxied }: Connection): Promise<PublicError | undefined> {
    if (isProxied) return undefined;
    const { context, limitOf } = this.#options;
    const { checkLimit, clock } = context;
    const limit = limitOf({ ip: address });
    const verdict = await checkLimit(limit);
    if (verdict.passes) return undefined;
    context.metrics.limitedRequests.inc({ limit: 'address' });
    return rateLimited(limit, verdict, clock);
  }

  #write(socket: Duplex, answer: PublicError, requestId: string): void {
    const { context, listener, onEvery } = this.#options;
    context.metrics.refusals.inc({ listener, code: answer.code });
    socket.write(renderRawError(answer, requestId, onEvery));
    closeLingering(socket);
  }
}
