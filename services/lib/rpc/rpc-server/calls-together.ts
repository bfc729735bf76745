import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, createContextValues } from '@connectrpc/connect';
import {
  contentTypeStreamProto,
  createEndStreamSerialization,
  parseTimeout,
  protocolVersion,
} from '@connectrpc/connect/protocol-connect';
import {
  type AnswerSchema,
  type Call,
  CallsService,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';
import type { Logger } from '../../runtime/log/index.ts';
import { EnvelopeReader, inEnvelope } from '../envelopes/index.ts';
import {
  type Admission,
  admit,
  type EndCall,
  type HeaderOf,
  inCall,
  observed,
  startMeasuring,
  validate,
} from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';
import { arrivedRequestOf } from './interceptors.ts';
import { MAX_HEADERS_BYTES } from './listen-plain.ts';
import type { ObserveCall } from './rpc-durations.ts';
import type { UnaryHandler } from './unary-handler.ts';
import { readBody, type UnaryAnswer } from './unary-http.ts';

type Answer = MessageInitShape<typeof AnswerSchema>;

const { callTogether } = CallsService.method;
const RPC = `${CallsService.typeName}/${callTogether.name}`;
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
  /** Has `end` called when nobody waits for any answer any more. */
  readonly onGone: (end: () => void) => void;
}

/**
 * Serves the unary methods that `unary` has learnt to a caller that makes several calls in one exchange, by Connect's own
 * handlers. Each ends as it would by itself; nothing is said of the exchange but that it is admitted.
 */
export function serveCallsTogether(router: ConnectRouter, unary: UnaryHandler): void {
  router.service(CallsService, {
    async *callTogether({ calls }, { requestHeader, values, signal }) {
      const exchange: Exchange = {
        authorization: requestHeader.get('authorization') ?? '',
        request: arrivedRequestOf(values),
        onGone: (end) => signal.addEventListener('abort', end, { once: true }),
      };
      const ready: Answer[][] = [];
      let isReady = Promise.withResolvers<void>();
      let left = calls.length;
      answerAll(unary, calls, exchange, (answers) => {
        ready.push(answers);
        isReady.resolve();
      });
      while (left > 0) {
        await isReady.promise;
        isReady = Promise.withResolvers();
        const answers = ready.splice(0).flat();
        left -= answers.length;
        yield { answers };
      }
    },
  });
}

export interface ExchangeOptions {
  readonly unary: UnaryHandler;
  readonly log: Logger;
  readonly observeCall: ObserveCall;
  readonly admission: Admission;
  readonly readMaxBytes: number;
}

/**
 * The same over HTTP/1.1 for exchanges in binary that are not compressed, as those of our services are: without
 * Connect's streams, and in one packet where all answers are ready at once. Returns whether it takes the request.
 */
export function takeExchange(
  options: ExchangeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { headers, method, url } = request;
  if (
    method !== 'POST' ||
    url !== `/${RPC}` ||
    headers['content-type'] !== contentTypeStreamProto ||
    headers['connect-protocol-version'] !== protocolVersion ||
    headers['content-encoding'] !== undefined ||
    headers['connect-content-encoding'] !== undefined
  ) {
    return false;
  }
  const header: HeaderOf = (name) => request.headers[name]?.toString() ?? '';
  const endCall = startMeasuring(RPC, options.observeCall);
  void inCall(RPC, header, () =>
    observed(RPC, options.log, options.observeCall, () => callsOf(options, request, header), endCall),
  ).then(
    (calls) => answerTo(options.unary, calls, { request, response, endCall }),
    // Whatever fails here has been made presentable.
    (error: ConnectError) => end(response, error),
  );
  return true;
}

/** The calls of an exchange whose caller is admitted. */
async function callsOf(
  { admission, readMaxBytes }: ExchangeOptions,
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

function answerTo(
  unary: UnaryHandler,
  calls: readonly Call[],
  { request, response, endCall }: { request: IncomingMessage; response: ServerResponse; endCall: EndCall },
): void {
  const waiting: (() => void)[] = [];
  response.once('close', () => {
    // By then an answered exchange has ended.
    endCall(Code.Canceled);
    for (const end of waiting) end();
  });
  const exchange: Exchange = {
    authorization: request.headers.authorization ?? '',
    request,
    onGone: (end) => waiting.push(end),
  };
  let left = calls.length;
  answerAll(unary, calls, exchange, (answers) => {
    left -= answers.length;
    const message = create(CallTogetherResponseSchema, { answers });
    const bytes = inEnvelope(toBinary(CallTogetherResponseSchema, message));
    if (left === 0) {
      if (!response.destroyed) endCall();
      return end(response, undefined, bytes);
    }
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': contentTypeStreamProto });
    response.write(bytes);
  });
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

/** Answers each call; those that are ready in one turn of the event loop are given to `give` together. */
function answerAll(
  unary: UnaryHandler,
  calls: readonly Call[],
  { authorization, request, onGone }: Exchange,
  give: (answers: Answer[]) => void,
): void {
  let ready: Answer[] = [];
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
      if (ready.length === 0)
        setImmediate(() => {
          const answers = ready;
          ready = [];
          give(answers);
        });
      ready.push(answerOf(place, given));
    });
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
