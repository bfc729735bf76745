import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, createContextValues } from '@connectrpc/connect';
import {
  contentTypeStreamProto,
  createEndStreamSerialization,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect';
import {
  type AnswerSchema,
  type Call,
  CallsService,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';
import { EnvelopeReader, inEnvelope } from '../envelopes/index.ts';
import { admit, type HeaderOf, inCall, observed, startMeasuring, validate } from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';
import { arrivedRequestOf } from './interceptors.ts';
import { MAX_HEADERS_BYTES } from './listen.ts';
import type { RpcRules, UnaryHandler } from './unary-handler.ts';
import { readBody, type UnaryAnswer } from './unary-http.ts';

type Answer = MessageInitShape<typeof AnswerSchema>;

const { callTogether } = CallsService.method;
export const EXCHANGE_RPC = `${CallsService.typeName}/${callTogether.name}`;
/** Each call has its own capped deadline; that of the exchange only has to be well formed. */
const MAX_TIMEOUT_MS = Number.MAX_SAFE_INTEGER;
const endOf = createEndStreamSerialization(undefined);
/** The same limit as Node's for HTTP/2. */
const MAX_HEADERS = 128;
/** What HTTP/1.1 adds to each header: a colon, a space and the line end. */
const HEADER_BYTES = 4;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

interface Exchange {
  readonly authorization: string;
  readonly request: ArrivedRequest | undefined;
  /** Registers `end`, to be called when the caller no longer waits for answers. */
  readonly onGone: (end: () => void) => void;
}

/** Serves batches through Connect's own handlers. Each call ends as it would on its own. */
export function serveBatchedCalls(router: ConnectRouter, unary: UnaryHandler): void {
  router.service(CallsService, {
    async *callTogether({ calls }, { requestHeader, values, signal }) {
      const answers = answersOf(unary, calls, {
        authorization: requestHeader.get('authorization') ?? '',
        request: arrivedRequestOf(values),
        onGone: (end) => signal.addEventListener('abort', end, { once: true }),
      });
      for await (const ready of answers) yield { answers: ready };
    },
  });
}

/** Answers a batch in binary over HTTP/1.1, as our services send it, without Connect's streams. */
export async function answerExchange(
  unary: UnaryHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { log, observeCall } = unary.rules;
  const header: HeaderOf = (name) => request.headers[name]?.toString() ?? '';
  const endCall = startMeasuring(EXCHANGE_RPC, observeCall);
  const waiting: (() => void)[] = [];
  try {
    const read = () => callsOf(unary.rules, request, header);
    const calls = await inCall(EXCHANGE_RPC, header, () =>
      observed(EXCHANGE_RPC, log, observeCall, read, endCall),
    );
    response.once('close', () => {
      // An answered exchange has already ended, so this has no effect on it.
      endCall(Code.Canceled);
      for (const end of waiting) end();
    });
    const answers = answersOf(unary, calls, {
      authorization: header('authorization'),
      request,
      onGone: (end) => waiting.push(end),
    });
    let left = calls.length;
    for await (const ready of answers) {
      left -= ready.length;
      if (response.destroyed) continue;
      const message = create(CallTogetherResponseSchema, { answers: ready });
      const bytes = inEnvelope(toBinary(CallTogetherResponseSchema, message));
      if (left === 0) {
        endCall();
        end(response, undefined, bytes);
      } else {
        if (!response.headersSent) response.writeHead(200, { 'content-type': contentTypeStreamProto });
        response.write(bytes);
      }
    }
  } catch (error) {
    end(response, ConnectError.from(error));
  }
}

async function callsOf(
  { admission, readMaxBytes }: RpcRules,
  request: IncomingMessage,
  header: HeaderOf,
): Promise<readonly Call[]> {
  await admit(admission, { method: callTogether, header, request }, createContextValues());
  const { error } = parseTimeout(request.headers['connect-timeout-ms']?.toString() ?? null, MAX_TIMEOUT_MS);
  if (error) throw error;
  const bytes = await readBody(request, readMaxBytes);
  const message = messageIn(bytes, readMaxBytes);
  validate(callTogether, message);
  return message.calls;
}

function messageIn(bytes: Uint8Array, maxBytes: number) {
  try {
    const reader = new EnvelopeReader(maxBytes);
    const [only, ...others] = reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (!only || others.length > 0) throw new Error('exchange with no message, or with several');
    return fromBinary(CallTogetherRequestSchema, only.message);
  } catch {
    throw new ConnectError('the exchange cannot be read', Code.InvalidArgument);
  }
}

function end(response: ServerResponse, error?: ConnectError, last: Buffer = Buffer.alloc(0)): void {
  if (response.destroyed) return;
  const ending = inEnvelope(endOf.serialize({ metadata: new Headers(), ...(error ? { error } : {}) }), true);
  const bytes = Buffer.concat([last, ending]);
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': contentTypeStreamProto, 'content-length': bytes.byteLength });
  }
  response.end(bytes);
}

/** Yields the answers of all calls; those ready in the same event-loop tick come together. */
async function* answersOf(
  unary: UnaryHandler,
  calls: readonly Call[],
  { authorization, request, onGone }: Exchange,
): AsyncGenerator<Answer[]> {
  const ready: Answer[] = [];
  let isReady = Promise.withResolvers<void>();
  for (const [place, { rpc, headers, message }] of calls.entries()) {
    const fault = faultOf(headers);
    const answer = unary.answer(rpc, {
      // The caller authenticates once for all calls.
      headers: { ...(fault ? {} : headers), authorization },
      fault,
      request,
      readBody: async () => message,
      onGone,
    });
    void answer.then((given) => {
      if (ready.length === 0) setImmediate(isReady.resolve);
      ready.push(answerOf(place, given));
    });
  }
  for (let left = calls.length; left > 0; ) {
    await isReady.promise;
    isReady = Promise.withResolvers();
    const answers = ready.splice(0);
    left -= answers.length;
    yield answers;
  }
}

/** Checks the headers of a call as an HTTP parser would have, because none has seen them. */
function faultOf(headers: Call['headers']): ConnectError | undefined {
  const entries = Object.entries(headers);
  let bytes = 0;
  for (const [name, value] of entries) bytes += name.length + value.length + HEADER_BYTES;
  if (bytes > MAX_HEADERS_BYTES || entries.length > MAX_HEADERS) {
    const message = `the headers of a call are more than ${MAX_HEADERS}, or larger than ${MAX_HEADERS_BYTES} bytes`;
    return new ConnectError(message, Code.ResourceExhausted);
  }
  if (entries.every(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value))) return undefined;
  return new ConnectError('a header of the call is malformed', Code.InvalidArgument);
}

function answerOf(call: number, { status, headers, body }: UnaryAnswer): Answer {
  if (!headers) return { call, status, body };
  const { 'set-cookie': _last, ...single } = Object.fromEntries(headers);
  return { call, status, headers: single, setCookies: headers.getSetCookie(), body };
}
