import { setTimeout as pause } from 'node:timers/promises';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  isMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import {
  appendHeaders,
  type CallOptions,
  Code,
  ConnectError,
  type Transport,
  type UnaryResponse,
} from '@connectrpc/connect';
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponseWithCompression,
} from '@connectrpc/connect/protocol-connect';
import type { buildConnector } from 'undici';
import { inRpcSpan } from '../../runtime/tracing/index.ts';
import { type BatchOptions, batchCalls } from './batch-calls.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  httpExchanges,
  MAX_BYTES,
  NoAnswerError,
  type Post,
} from './http-exchange.ts';

const MAX_TIMEOUT_MS = 60_000;
/** Pause between a broken connection and the next attempt. */
const SETTLE_MS = 50;
const MAX_TRIES = 3;

export interface UnaryTransportOptions {
  readonly baseUrl: string;
  /** Opens the connections; if absent, none of this process's TLS files are used. */
  readonly connect?: buildConnector.connector | undefined;
  /** For calls without their own timeout, in milliseconds. */
  readonly defaultTimeoutMs: number;
  /** Headers of every call; they override the caller's. */
  readonly identify: () => Promise<Record<string, string>>;
  /** Methods, by name, whose simultaneous calls share one exchange. */
  readonly together?: Readonly<Record<string, BatchOptions | undefined>> | undefined;
}

/**
 * Creates a transport for Connect's unary protocol with binary messages over kept-alive HTTP/1.1. A successful call
 * creates no timer, signal or stream. Rejects with a ConnectError: the server's own; UNAVAILABLE, with the cause, if no
 * complete answer arrives after up to two more attempts where the method's contract allows them; DEADLINE_EXCEEDED;
 * CANCELED; RESOURCE_EXHAUSTED if a message exceeds 4 MiB.
 */
export function unaryTransport({
  baseUrl,
  connect,
  defaultTimeoutMs,
  identify,
  together = {},
}: UnaryTransportOptions): Transport {
  const alone = httpExchanges(new URL(baseUrl).origin, connect);
  const posts = new Map<string, Post>();
  for (const [name, options] of Object.entries(together)) {
    if (options) posts.set(name, batchCalls(alone, options));
  }
  return {
    async unary(method, signal, timeoutMs = defaultTimeoutMs, header, input) {
      const rpc = `${method.parent.typeName}/${method.name}`;
      return inRpcSpan('client', rpc, async () => {
        const body = encode(method.input, input);
        const ms = timeoutMs > 0 ? Math.min(timeoutMs, MAX_TIMEOUT_MS) : MAX_TIMEOUT_MS;
        const headers = { ...plain(header), ...(await identify()) };
        headers['content-type'] = contentTypeUnaryProto;
        headers['connect-protocol-version'] = protocolVersion;
        headers['connect-timeout-ms'] = String(Math.ceil(ms));
        const request = { path: `/${rpc}`, headers, body, timeoutMs: ms, maxAnswerBytes: MAX_BYTES, signal };
        const repeatable = method.idempotency !== Idempotency.IDEMPOTENCY_UNKNOWN;
        const post = posts.get(method.localName) ?? alone;
        const answer = await postAgainIfBroken(post, request, repeatable);
        return new UnaryAnswer(method, answer, decode(method, answer));
      });
    },
    async stream() {
      throw new ConnectError('this client makes unary calls only', Code.Unimplemented);
    },
  };
}

/**
 * Retries a repeatable call up to three times within its deadline: a restarted service leaves stale connections, and a
 * starting one may not accept connections at once.
 */
async function postAgainIfBroken(post: Post, request: HttpRequest, repeatable: boolean): Promise<HttpAnswer> {
  const startedAt = performance.now();
  let left = request.timeoutMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await post({ ...request, timeoutMs: left });
    } catch (error) {
      left = request.timeoutMs - (performance.now() - startedAt) - SETTLE_MS;
      const isBroken = error instanceof NoAnswerError && error.reason === 'connection';
      if (!repeatable || !isBroken || left <= 0 || tries === MAX_TRIES) throw connectError(error);
      await pause(SETTLE_MS);
    }
  }
}

function connectError(error: unknown): unknown {
  if (!(error instanceof NoAnswerError)) return error;
  switch (error.reason) {
    case 'connection':
      return unavailable('the called service cannot be reached', error.cause);
    case 'too many':
      return unavailable('too many calls are waiting for the called service', error);
    case 'deadline':
      return new ConnectError('the operation timed out', Code.DeadlineExceeded);
    case 'cancelled':
      return ConnectError.from(error.cause, Code.Canceled);
    case 'too long':
      return new ConnectError(`the response is larger than ${MAX_BYTES} bytes`, Code.ResourceExhausted);
  }
}

function unavailable(message: string, cause: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}

function encode<Input extends DescMessage>(schema: Input, input: MessageInitShape<Input>): Uint8Array {
  const body = toBinary(schema, isMessage(input, schema) ? input : create(schema, input));
  if (body.byteLength <= MAX_BYTES) return body;
  throw new ConnectError(`the message is larger than ${MAX_BYTES} bytes`, Code.ResourceExhausted);
}

function decode<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  { status, headers, body }: HttpAnswer,
): MessageShape<Output> {
  const plainProto = headers['content-type'] === contentTypeUnaryProto && !headers['content-encoding'];
  if (status !== 200 || !plainProto) refuseAnswer(status, webHeaders(headers), body);
  try {
    return fromBinary(method.output, body);
  } catch (cause) {
    throw new ConnectError('the response cannot be decoded', Code.Internal, undefined, undefined, cause);
  }
}

/** Throws the server's error, or an error about an answer that is neither a message nor an error. */
function refuseAnswer(status: number, headers: Headers, body: Uint8Array): void {
  const { unaryError } = validateResponseWithCompression('unary', [], true, status, headers);
  // The metadata of an error combines headers and trailers.
  if (unaryError) throw errorFromJsonBytes(body, appendHeaders(...trailerDemux(headers)), unaryError);
}

/** Creates its headers on first access, which is rare. */
class UnaryAnswer<Input extends DescMessage, Output extends DescMessage>
  implements UnaryResponse<Input, Output>
{
  readonly stream = false;
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Output>;
  readonly #answer: HttpAnswer;

  constructor(method: DescMethodUnary<Input, Output>, answer: HttpAnswer, message: MessageShape<Output>) {
    this.method = method;
    this.message = message;
    this.#answer = answer;
  }

  get service() {
    return this.method.parent;
  }

  get header(): Headers {
    return trailerDemux(webHeaders(this.#answer.headers))[0];
  }

  get trailer(): Headers {
    return trailerDemux(webHeaders(this.#answer.headers))[1];
  }
}

function plain(header: CallOptions['headers']): Record<string, string> {
  if (!header) return {};
  // If a list repeats a header, every value counts.
  const entries = Array.isArray(header) ? new Headers(header) : (header as Headers | Record<string, string>);
  const record: Record<string, string> = {};
  const pairs = entries instanceof Headers ? entries.entries() : Object.entries(entries);
  for (const [name = '', value = ''] of pairs) record[name.toLowerCase()] = value;
  return record;
}

function webHeaders(headers: HttpAnswer['headers']): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) web.append(name, one);
  }
  return web;
}
