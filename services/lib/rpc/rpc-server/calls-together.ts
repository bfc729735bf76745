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
import { MAX_HEADERS_BYTES } from './listen-plain.ts';
import type { RpcRules, UnaryHandler } from './unary-handler.ts';
import { readBody, type UnaryAnswer } from './unary-http.ts';

type Answer = MessageInitShape<typeof AnswerSchema>;

const { callTogether } = CallsService.method;
export const EXCHANGE_RPC = `${CallsService.typeName}/${callTogether.name}`;
/** Each call has its own deadline, which is capped; what the exchange says need only be well formed. */
const MAX_TIMEOUT_MS = Number.MAX_SAFE_INTEGER;
const endOf = createEndStreamSerialization(undefined);
/** As Node has it for HTTP/2. */
const MAX_HEADERS = 128;
/** What HTTP/1.1 writes with each header: a colon, a space and the end of the line. */
const HEADER_BYTES = 4;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The exchange that calls came in. */
interface Exchange {
  readonly authorization: string;
  readonly request: ArrivedRequest | undefined;
  /** Calls `end` when nobody waits for any answer any more. */
  readonly onGone: (end: () => void) => void;
}

/**
 * Serves the unary methods that `unary` has learnt to a caller that makes several calls in one exchange, by Connect's own
 * handlers. Each ends as it would by itself; nothing is said of the exchange but that it is admitted.
 */
export function serveCallsTogether(router: ConnectRouter, unary: UnaryHandler): void {
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

/**
 * Answers an exchange that came as a binary stream over HTTP/1.1 and is not compressed, as those of our services are:
 * without Connect's streams, and in one packet where all answers are ready at once.
 */
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
      // By then an answered exchange has ended.
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

/** The calls of an exchange whose caller is admitted. */
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

/** Ends the stream, after `last`. */
function end(response: ServerResponse, error?: ConnectError, last: Buffer = Buffer.alloc(0)): void {
  if (response.destroyed) return;
  const ending = inEnvelope(endOf.serialize({ metadata: new Headers(), ...(error ? { error } : {}) }), true);
  const bytes = Buffer.concat([last, ending]);
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': contentTypeStreamProto, 'content-length': bytes.byteLength });
  }
  response.end(bytes);
}

/** The answers of all calls; those that are ready in one turn of the event loop come together. */
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
      // The caller has proven who it is once, for all of them.
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

/** What would be wrong with the headers of a call if it had come by itself: no parser of HTTP has seen them. */
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
