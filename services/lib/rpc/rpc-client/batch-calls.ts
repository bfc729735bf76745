import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  appendHeaders,
  Code,
  ConnectError,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import {
  codeFromHttpStatus,
  contentTypeStreamProto,
  endStreamFromJson,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponse,
} from '@connectrpc/connect/protocol-connect';
import {
  type Answer,
  CallsService,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';
import type { Dispatcher } from 'undici';
import { cancelDeadline, startDeadline, within } from '../../runtime/deadlines/index.ts';
import { groupCommit } from '../../runtime/group-commit/index.ts';
import { EnvelopeReader, inEnvelope } from '../envelopes/index.ts';
import type { Slots } from './bound-calls.ts';
import { broken, MAX_BYTES, webHeaders } from './http-client.ts';

type Join = (request: UnaryRequest | { readonly stream: true }, endsAt: number) => Promise<UnaryResponse>;

const { callTogether } = CallsService.method;
const PATH = `/${CallsService.typeName}/${callTogether.name}`;
/** Exchanges that may wait for their first answer; later calls join the next exchange. */
const LANES = 3;
const MAX_CALLS = 64;
const MAX_WAITING = 4_000;
/** A server reads at most 1 MiB. */
const MAX_SET_BYTES = 512 * 1024;
/** What each header adds to a set, at most, beyond its text. */
const HEADER_BYTES = 16;
/** A server sends at most one answer of `MAX_BYTES`, or several that are no larger together, and their headers. */
const MAX_MESSAGE_BYTES = 2 * MAX_BYTES;
/** After this long without an answer, an exchange no longer holds up other calls. */
const SLOW_MS = 20;
/** Time for an exchange to end after its last answer; then its connection is closed. */
const END_MS = 1_000;
const TOKEN = 'authorization';

export interface BatchOptions {
  /** Minimum time between sets, in milliseconds; see `groupCommit`. */
  readonly beatMs?: number;
}

/**
 * Sends unary calls in one exchange when they are made in the same event-loop tick, between two beats, or while three
 * exchanges await their first answer. Each call keeps its headers, deadline, cancellation and answer, and gets its
 * answer as soon as it is ready. A cancelled or late call is abandoned; the exchange is aborted when all of its calls
 * are. If the server refuses an exchange, each of its calls fails with that error.
 */
export function batchCalls(dispatcher: Dispatcher, slots: Slots, { beatMs = 0 }: BatchOptions): Join {
  const join = groupCommit<PendingCall, undefined>({
    maxGroup: MAX_CALLS,
    maxQueue: MAX_WAITING,
    lanes: LANES,
    beatMs,
    async flush(group) {
      const sets = setsOf(group.filter(({ isOver }) => !isOver));
      await Promise.all(sets.map((calls) => inSlot(calls)));
      return group.map(() => undefined);
    },
    overloaded: () => new ConnectError('too many calls are waiting', Code.Unavailable),
  });

  /** Sends a set when a slot is free, without the calls that ended meanwhile. Holds its lane until then. */
  async function inSlot(calls: readonly PendingCall[]): Promise<void> {
    await slots.take();
    const waiting = calls.filter(({ isOver }) => !isOver);
    if (waiting.length === 0) return slots.release();
    const answered = exchange(dispatcher, waiting, () => slots.release());
    await within(SLOW_MS, answered, () => undefined);
  }

  return async (request, endsAt) => {
    if (request.stream) throw new ConnectError('a stream cannot travel in a set', Code.Internal);
    const call = new PendingCall(request, endsAt);
    join(call).catch((error: unknown) => call.fail(error));
    return call.response;
  };
}

/** Splits calls, in order, into sets that a server accepts. */
function setsOf(calls: readonly PendingCall[]): PendingCall[][] {
  const sets: PendingCall[][] = [];
  let bytes = 0;
  for (const call of calls) {
    const last = sets.at(-1);
    if (last && bytes + call.bytes <= MAX_SET_BYTES) {
      last.push(call);
      bytes += call.bytes;
    } else {
      sets.push([call]);
      bytes = call.bytes;
    }
  }
  return sets;
}

/** A call that ends exactly once: answered, failed, late or cancelled. */
class PendingCall {
  readonly request: UnaryRequest;
  readonly headers: Record<string, string>;
  readonly message: Uint8Array;
  readonly bytes: number;
  readonly response: Promise<UnaryResponse>;
  readonly #endsAt: number;
  readonly #tick: number;
  readonly #settle: { resolve(response: UnaryResponse): void; reject(error: unknown): void };
  isOver = false;
  onOver: (() => void) | undefined;

  /** Throws RESOURCE_EXHAUSTED for a message that is too large, and what `signal` says if it is aborted. */
  constructor(request: UnaryRequest, endsAt: number) {
    this.request = request;
    this.headers = Object.fromEntries(request.header);
    this.message = toBinary(request.method.input, request.message);
    if (this.message.byteLength > MAX_BYTES) throw tooLarge(`the message is larger than ${MAX_BYTES} bytes`);
    this.bytes = this.message.byteLength;
    for (const [name, value] of Object.entries(this.headers))
      this.bytes += name.length + value.length + HEADER_BYTES;
    const { promise, resolve, reject } = Promise.withResolvers<UnaryResponse>();
    this.response = promise;
    this.#settle = { resolve, reject };
    this.#endsAt = endsAt;
    this.#tick = startDeadline(this, endsAt - performance.now());
    if (request.signal.aborted) this.#cancel();
    else request.signal.addEventListener('abort', this.#cancel);
  }

  get leftMs(): number {
    return Math.max(1, Math.ceil(this.#endsAt - performance.now()));
  }

  /** Ends the call with its answer, which may be an error or malformed. */
  answer(answer: Answer): void {
    if (this.isOver) return;
    try {
      const response = responseOf(this.request, answer);
      this.#end();
      this.#settle.resolve(response);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.isOver) return;
    this.#end();
    this.#settle.reject(ConnectError.from(error, Code.Internal));
  }

  expire(): void {
    this.fail(new ConnectError('the operation timed out', Code.DeadlineExceeded));
  }

  readonly #cancel = () => this.fail(ConnectError.from(this.request.signal.reason, Code.Canceled));

  #end(): void {
    this.isOver = true;
    cancelDeadline(this, this.#tick);
    this.request.signal.removeEventListener('abort', this.#cancel);
    this.onOver?.();
  }
}

/** Converts an answer. Throws the error that it states, or one about what is malformed. */
function responseOf({ service, method }: UnaryRequest, answer: Answer): UnaryResponse {
  const { status, headers, setCookies, body } = answer;
  const parts = () =>
    trailerDemux(webHeaders(setCookies.length > 0 ? { ...headers, 'set-cookie': setCookies } : headers));
  if (status !== 200) {
    const fallback = new ConnectError(`HTTP ${status}`, codeFromHttpStatus(status));
    throw errorFromJsonBytes(body, appendHeaders(...parts()), fallback);
  }
  if (body.byteLength > MAX_BYTES) throw tooLarge(`the response is larger than ${MAX_BYTES} bytes`);
  return {
    stream: false,
    service,
    method,
    message: fromBinary(method.output, body),
    // Read by few callers.
    get header() {
      return parts()[0];
    },
    get trailer() {
      return parts()[1];
    },
  };
}

const tooLarge = (message: string) => new ConnectError(message, Code.ResourceExhausted);

/** Sends a set. Resolves when its first answer arrives or none will; never rejects. Calls `ended` once it is over. */
function exchange(dispatcher: Dispatcher, calls: readonly PendingCall[], ended: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timeoutMs = Math.max(...calls.map(({ leftMs }) => leftMs));
    const message = create(CallTogetherRequestSchema, { calls: calls.map(toCall) });
    const headers = {
      [TOKEN]: calls[0]?.headers[TOKEN] ?? '',
      'content-type': contentTypeStreamProto,
      'connect-protocol-version': protocolVersion,
      'connect-timeout-ms': String(timeoutMs),
    };
    const body = inEnvelope(toBinary(CallTogetherRequestSchema, message));
    dispatcher.dispatch({ method: 'POST', path: PATH, headers, body }, new Exchange(calls, resolve, ended));
  });
}

function toCall({ request: { service, method }, headers, message, leftMs }: PendingCall) {
  const { [TOKEN]: _ofTheExchange, ...own } = headers;
  return {
    rpc: `${service.typeName}/${method.name}`,
    headers: { ...own, 'connect-timeout-ms': String(leftMs) },
    message,
  };
}

/** Delivers the answers of a set as they arrive. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #calls: readonly PendingCall[];
  readonly #answered: () => void;
  readonly #ended: () => void;
  readonly #reader = new EnvelopeReader(MAX_MESSAGE_BYTES);
  /** The places of the calls that have no answer yet. */
  readonly #unanswered: Set<number>;
  #controller: Dispatcher.DispatchController | undefined;
  #waiting: number;
  #tick: number | undefined;
  #isOver = false;

  constructor(calls: readonly PendingCall[], answered: () => void, ended: () => void) {
    this.#calls = calls;
    this.#answered = answered;
    this.#ended = ended;
    this.#unanswered = new Set(calls.keys());
    this.#waiting = calls.length;
    for (const call of calls) call.onOver = () => this.#callIsOver();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // All calls ended while the connection was being opened.
    if (this.#waiting === 0) this.expire();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    try {
      validateResponse('server_streaming', true, status, webHeaders(headers));
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    try {
      for (const { isEnd, message } of this.#reader.read(chunk)) {
        if (isEnd) {
          if (this.#waiting > 0) this.#failCalls(endStreamFromJson(message).error);
          continue;
        }
        const { answers } = fromBinary(CallTogetherResponseSchema, message);
        for (const answer of answers) {
          this.#unanswered.delete(answer.call);
          this.#calls[answer.call]?.answer(answer);
        }
        this.#answered();
      }
    } catch (error) {
      this.#fail(broken(error));
    }
  }

  onResponseEnd(): void {
    this.#end(new Error('no response was received for it'));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, cause: Error): void {
    this.#end(cause);
  }

  /** Closes the connection: the rest of the answer would be mistaken for the next one. */
  expire(): void {
    if (!this.#isOver) this.#controller?.abort(new Error('the exchange is over'));
  }

  #callIsOver(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    // Once all are answered, the exchange ends normally and its connection serves the next one.
    if (this.#unanswered.size === 0) this.#tick = startDeadline(this, END_MS);
    else this.expire();
  }

  #fail(error: unknown): void {
    this.#failCalls(error);
    this.expire();
  }

  #failCalls(error: unknown): void {
    if (error === undefined) return;
    for (const call of this.#calls) call.fail(error);
  }

  #end(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#tick !== undefined) cancelDeadline(this, this.#tick);
    if (this.#waiting > 0) this.#failCalls(broken(cause));
    this.#answered();
    this.#ended();
  }
}
