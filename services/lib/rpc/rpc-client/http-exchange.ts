import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { cancelDeadline, startDeadline } from '../../runtime/deadlines/index.ts';

const CONNECTIONS = 32;
/** For opening a connection, TLS included. */
export const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 60_000;
export const MAX_WAITING = 4_000;
/** The largest message, sent or answered. */
export const MAX_BYTES = 4 * 1024 * 1024;

export interface HttpRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  /** For waiting, connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Takes a successful answer (200) bit by bit, as it comes; the answer that follows then has no body. */
  readonly onData?: ((bytes: Buffer) => void) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Uint8Array;
}

/** Why there is no whole answer. */
export type NoAnswer = 'connection' | 'deadline' | 'cancelled' | 'too long' | 'too many';

export class NoAnswerError extends Error {
  readonly reason: NoAnswer;
  constructor(reason: NoAnswer, cause?: unknown) {
    super(`no answer: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Posts a request and resolves to the whole answer, whatever its status. Rejects with NoAnswerError. */
export type Post = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * Posts over at most 32 kept-alive HTTP/1.1 connections. Requests that find none free wait in order, 4,000 at most; one
 * that times out before its turn costs no connection.
 */
export function httpExchanges(origin: string, connect?: buildConnector.connector): Post {
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: connect ?? { timeout: CONNECT_TIMEOUT_MS },
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Each exchange has a deadline of its own, which covers all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const waiting = new Set<Exchange>();
  let free = CONNECTIONS;

  function begin(exchange: Exchange): void {
    free -= 1;
    exchange.dispatch(pool);
  }

  function ended(exchange: Exchange): void {
    if (waiting.delete(exchange)) return;
    free += 1;
    for (const next of waiting) {
      waiting.delete(next);
      begin(next);
      return;
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(new NoAnswerError('cancelled', request.signal.reason));
      if (free === 0 && waiting.size >= MAX_WAITING) return reject(new NoAnswerError('too many'));
      const exchange = new Exchange(request, resolve, reject, ended);
      if (free > 0) begin(exchange);
      else waiting.add(exchange);
    });
}

/** A request that ends once: answered, broken, too late, or cancelled. */
export class PendingRequest {
  readonly request: HttpRequest;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #tick: number;
  isOver = false;

  constructor(request: HttpRequest, resolve: (answer: HttpAnswer) => void, reject: (error: unknown) => void) {
    this.request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#tick = startDeadline(this, request.timeoutMs);
    request.signal?.addEventListener('abort', this.#cancel, { once: true });
  }

  /** Ends it with its answer; does nothing when it has ended already. */
  succeed(answer: HttpAnswer): void {
    if (this.#end()) this.#resolve(answer);
  }

  /** Ends it without an answer; does nothing when it has ended already. */
  fail(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  /** Fails: its time is up. */
  expire(): void {
    this.fail(new NoAnswerError('deadline'));
  }

  /** Is called when it has ended. */
  protected onEnd(): void {}

  readonly #cancel = () => this.fail(new NoAnswerError('cancelled', this.request.signal?.reason));

  #end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    cancelDeadline(this, this.#tick);
    this.request.signal?.removeEventListener('abort', this.#cancel);
    this.onEnd();
    return true;
  }
}

/** A request on its way over a connection of its own, for which it may have to wait. */
class Exchange extends PendingRequest implements Dispatcher.DispatchHandler {
  readonly #free: (exchange: Exchange) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #dispatched = false;
  #released = false;
  #status = 0;
  #headers: HttpAnswer['headers'] = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    request: HttpRequest,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: unknown) => void,
    free: (exchange: Exchange) => void,
  ) {
    super(request, resolve, reject);
    this.#free = free;
  }

  dispatch(pool: Pool): void {
    this.#dispatched = true;
    const { path, headers, body } = this.request;
    pool.dispatch({ method: 'POST', path, headers, body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It timed out while its connection was being opened.
    if (this.isOver) controller.abort(new Error('the exchange is over'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpAnswer['headers'],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    const { maxAnswerBytes, onData } = this.request;
    if (this.#bytes > maxAnswerBytes) this.fail(new NoAnswerError('too long'));
    else if (onData && this.#status === 200) onData(chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#freePlace();
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const body = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.succeed({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, cause: Error): void {
    this.#freePlace();
    this.fail(new NoAnswerError('connection', cause));
  }

  protected override onEnd(): void {
    if (!this.#dispatched) this.#freePlace();
    // The rest of the answer would be taken for the next one, so the connection is closed too.
    else if (!this.#released) this.#controller?.abort(new Error('the exchange is over'));
  }

  /** Frees its place: it has its answer, its connection is gone, or it never had one. */
  #freePlace(): void {
    if (this.#released) return;
    this.#released = true;
    this.#free(this);
  }
}
