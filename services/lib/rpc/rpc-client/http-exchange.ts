import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { cancelDeadline, startDeadline } from '../../runtime/deadlines/index.ts';

const CONNECTIONS = 32;
/** Time to open a connection, including TLS. */
export const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 60_000;
export const MAX_WAITING = 4_000;
/** The largest message in either direction. */
export const MAX_BYTES = 4 * 1024 * 1024;

export interface HttpRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  /** Covers waiting, connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives the body of a successful answer (200) chunk by chunk; the resolved answer then has no body. */
  readonly onData?: ((bytes: Buffer) => void) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Uint8Array;
}

export type NoAnswer = 'connection' | 'deadline' | 'cancelled' | 'too long' | 'too many';

export class NoAnswerError extends Error {
  readonly reason: NoAnswer;
  constructor(reason: NoAnswer, cause?: unknown) {
    super(`no answer: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Posts a request and resolves to the complete answer, whatever its status. Rejects with NoAnswerError. */
export type Post = (request: HttpRequest) => Promise<HttpAnswer>;

/** Posts over at most 32 kept-alive connections; up to 4,000 further requests wait in order. */
export function httpExchanges(origin: string, connect?: buildConnector.connector): Post {
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: connect ?? { timeout: CONNECT_TIMEOUT_MS },
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Each exchange has its own deadline, which covers all of it.
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

/** A request that ends exactly once: answered, failed, timed out or cancelled. */
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

  /** Ends the request with its answer; does nothing if it has already ended. */
  succeed(answer: HttpAnswer): void {
    if (this.#end()) this.#resolve(answer);
  }

  /** Ends the request without an answer; does nothing if it has already ended. */
  fail(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  expire(): void {
    this.fail(new NoAnswerError('deadline'));
  }

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

/** A request that has one connection to itself, and may first wait for it. */
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
    // The request timed out while its connection was being opened.
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
    // The rest of the answer would be mistaken for the next one, so close the connection too.
    else if (!this.#released) this.#controller?.abort(new Error('the exchange is over'));
  }

  /** Frees the request's place: it is answered, its connection is gone, or it never had one. */
  #freePlace(): void {
    if (this.#released) return;
    this.#released = true;
    this.#free(this);
  }
}
