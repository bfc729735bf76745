import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, fromBinary, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
} from '@connectrpc/connect';
import {
  createMethodSerializationLookup,
  invokeUnaryImplementation,
  mergeNonProtocolHeaders,
  type Serialization,
} from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  contentTypeStreamProto,
  createEndStreamSerialization,
  errorToJsonBytes,
  parseTimeout,
  protocolVersion,
  trailerMux,
} from '@connectrpc/connect/protocol-connect';
import {
  type AnswerSchema,
  type Call,
  CallsService,
  type CallTogetherRequest,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';
import { cancelDeadline, startDeadline } from '../../runtime/deadlines/index.ts';
import type { Logger } from '../../runtime/log/index.ts';
import { EnvelopeReader, inEnvelope } from '../envelopes/index.ts';
import {
  type Admission,
  admit,
  type HeaderOf,
  inCall,
  type ObserveCall,
  observed,
  startMeasuring,
  tookTooLong,
  validate,
} from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';
import { arrivedRequestOf, valuesOf } from './interceptors.ts';
import { MAX_HEADERS_BYTES } from './listen.ts';

type Answer = MessageInitShape<typeof AnswerSchema> & { readonly body: Uint8Array };

const { callTogether } = CallsService.method;
const RPC = `${CallsService.typeName}/${callTogether.name}`;
const endOf = createEndStreamSerialization(undefined);
const TIMEOUT = 'connect-timeout-ms';
/** The same limit as Node's for HTTP/2. */
const MAX_HEADERS = 128;
/** What HTTP/1.1 adds to each header: a colon, a space and the line end. */
const HEADER_BYTES = 4;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Aborts the signals of calls that have ended; an error of its own would cost each a stack trace. */
const OVER = new ConnectError('the call has ended', Code.Canceled);

/** The answer of a call whose own can't be encoded. */
const INTERNAL = {
  status: codeToHttpStatus(Code.Internal),
  body: errorToJsonBytes(new ConnectError('internal error', Code.Internal), undefined),
};

type UnarySpec = Extract<MethodImplSpec, { kind: 'unary' }>;

interface Route {
  readonly spec: UnarySpec;
  readonly input: Serialization<Message>;
  readonly output: Serialization<Message>;
}

/** What every call passes, however it arrived. */
export interface Pipeline {
  /** Admits or rejects a call before its body is read. */
  readonly requestGate: (context: HandlerContext) => Promise<void>;
  readonly interceptors: Interceptor[];
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
  readonly maxTimeoutMs: number;
  readonly log: Logger;
  readonly observeCall: ObserveCall;
  readonly admission: Admission;
}

/** What the calls of a set have in common. */
class Exchange {
  readonly authorization: string;
  readonly request: ArrivedRequest | undefined;
  readonly calls = new Set<() => void>();

  constructor(authorization: string, request: ArrivedRequest | undefined) {
    this.authorization = authorization;
    this.request = request;
  }

  /** Ends the calls, because their caller no longer waits for answers. */
  leave(): void {
    for (const end of this.calls) end();
  }
}

/** Serves sets of the unary calls of a server's services. Each call ends as it would on its own. */
export class CallSets {
  readonly #pipeline: Pipeline;
  readonly #routes = new Map<string, Route>();

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
  }

  /** Registers the services of `routes`, and `CallTogether` in every protocol. */
  register(router: ConnectRouter, routes: (router: ConnectRouter) => void): void {
    const registering: ConnectRouter = {
      handlers: router.handlers,
      service: (service, implementation, options) => {
        // They would replace the pipeline.
        if (options) throw new Error('a service cannot have options of its own');
        for (const spec of Object.values(createServiceImplSpec(service, implementation).methods))
          this.#learn(spec);
        router.service(service, implementation);
        return registering;
      },
      rpc: (method, implementation, options) => {
        if (options) throw new Error('a method cannot have options of its own');
        this.#learn(createMethodImplSpec(method, implementation));
        router.rpc(method, implementation);
        return registering;
      },
    };
    routes(registering);
    const answersOf = this.#answersOf.bind(this);
    router.service(CallsService, {
      async *callTogether({ calls }, { requestHeader, values, signal }) {
        const exchange = new Exchange(requestHeader.get('authorization') ?? '', arrivedRequestOf(values));
        signal.addEventListener('abort', () => exchange.leave());
        for await (const answers of answersOf(calls, exchange)) yield { answers };
      },
    });
  }

  #learn(spec: MethodImplSpec): void {
    if (spec.kind !== 'unary') return;
    const lookup = createMethodSerializationLookup(spec.method, undefined, undefined, this.#pipeline);
    const route = { spec, input: lookup.getI(true), output: lookup.getO(true) };
    this.#routes.set(`${spec.method.parent.typeName}/${spec.method.name}`, route);
  }

  /**
   * Answers a set as our services send it, in binary over HTTP/1.1: Connect's streams would cost more than its calls.
   * Never rejects. See `isSet`.
   */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log, observeCall } = this.#pipeline;
    const header: HeaderOf = (name) => request.headers[name]?.toString() ?? '';
    const exchange = new Exchange(header('authorization'), request);
    const endCall = startMeasuring(RPC, observeCall);
    const read = () => this.#read(request, header);
    try {
      const calls = await inCall(RPC, header, () => observed(RPC, log, observeCall, read, endCall));
      response.once('close', () => {
        // An answered exchange has already ended, so this has no effect on it.
        endCall(Code.Canceled);
        exchange.leave();
      });
      let left = calls.length;
      for await (const answers of this.#answersOf(calls, exchange)) {
        left -= answers.length;
        if (response.destroyed) continue;
        const message = create(CallTogetherResponseSchema, { answers });
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
      end(response, ConnectError.from(error, Code.Internal));
    }
  }

  async #read(request: IncomingMessage, header: HeaderOf): Promise<readonly Call[]> {
    const { admission, readMaxBytes } = this.#pipeline;
    await admit(admission, { method: callTogether, header, request }, createContextValues());
    const { error } = parseTimeout(request.headers[TIMEOUT]?.toString() ?? null, Number.MAX_SAFE_INTEGER);
    if (error) throw error;
    const message = messageIn(await readBody(request, readMaxBytes), readMaxBytes);
    validate(callTogether, message);
    return message.calls;
  }

  #answersOf(calls: readonly Call[], exchange: Exchange): AsyncIterable<Answer[]> {
    const answers = calls.map((call, place) =>
      answered(this.#routes.get(call.rpc), place, call, this.#pipeline, exchange).catch(() => ({
        ...INTERNAL,
        call: place,
      })),
    );
    return asReady(answers, this.#pipeline.writeMaxBytes);
  }
}

/** Returns whether a request is a set that our services sent: in binary over HTTP/1.1, uncompressed. */
export const isSet = ({ url, httpVersionMajor, headers }: IncomingMessage): boolean =>
  url === `/${RPC}` &&
  httpVersionMajor === 1 &&
  headers['content-type'] === contentTypeStreamProto &&
  headers['connect-protocol-version'] === protocolVersion &&
  headers['connect-content-encoding'] === undefined;

/** Reads a body of at most `maxBytes`, else RESOURCE_EXHAUSTED. Stays pending if the client leaves. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let left = maxBytes;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      left -= chunk.byteLength;
      if (left >= 0) return;
      request.off('data', onData);
      reject(new ConnectError(`the exchange is larger than ${maxBytes} bytes`, Code.ResourceExhausted));
    };
    request.on('data', onData);
    request.on('end', () => resolve(Buffer.concat(chunks)));
  });
}

function messageIn(bytes: Buffer, maxBytes: number): CallTogetherRequest {
  try {
    const [only, ...others] = new EnvelopeReader(maxBytes).read(bytes);
    if (!only || others.length > 0) throw new Error('exchange with no message, or with several');
    return fromBinary(CallTogetherRequestSchema, only.message);
  } catch {
    throw new ConnectError('the exchange cannot be read', Code.InvalidArgument);
  }
}

function end(response: ServerResponse, error?: ConnectError, last: Buffer = Buffer.alloc(0)): void {
  if (response.destroyed || response.writableEnded) return;
  const ending = inEnvelope(endOf.serialize({ metadata: new Headers(), ...(error && { error }) }), true);
  const bytes = Buffer.concat([last, ending]);
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': contentTypeStreamProto, 'content-length': bytes.byteLength });
  }
  response.end(bytes);
}

/** Yields results in groups as they are ready; those of one event-loop tick come together. */
async function* asReady(answers: readonly Promise<Answer>[], maxBytes: number): AsyncGenerator<Answer[]> {
  const ready: Answer[] = [];
  let isReady = Promise.withResolvers<void>();
  for (const answer of answers)
    void answer.then((given) => {
      if (ready.length === 0) setImmediate(isReady.resolve);
      ready.push(given);
    });
  for (let left = answers.length; left > 0; ) {
    await isReady.promise;
    isReady = Promise.withResolvers();
    const group = ready.splice(0);
    left -= group.length;
    yield* messagesOf(group, maxBytes);
  }
}

/** Splits answers into messages whose bodies have at most `maxBytes` together, which is also the limit of one. */
function* messagesOf(answers: readonly Answer[], maxBytes: number): Generator<Answer[]> {
  let message: Answer[] = [];
  let bytes = 0;
  for (const answer of answers) {
    if (message.length > 0 && bytes + answer.body.byteLength > maxBytes) {
      yield message;
      [message, bytes] = [[], 0];
    }
    message.push(answer);
    bytes += answer.body.byteLength;
  }
  yield message;
}

/** Answers one call of a set. Rejects for an error that cannot be encoded. */
async function answered(
  route: Route | undefined,
  call: number,
  { headers, message }: Call,
  pipeline: Pipeline,
  exchange: Exchange,
): Promise<Answer> {
  const fault = route ? faultOf(headers) : new ConnectError('there is no such method', Code.Unimplemented);
  if (!route || fault) return { call, ...errorAnswer(fault, new Headers()) };
  const { spec, input, output } = route;
  // The caller authenticates once for all calls.
  const own = { ...headers, authorization: exchange.authorization };
  const { context, timeoutError, endCall } = beginCall(spec, own, pipeline, exchange);
  const sent = () => trailerMux(context.responseHeader, context.responseTrailer);
  try {
    await pipeline.requestGate(context);
    if (timeoutError) throw timeoutError;
    const answer = await invokeUnaryImplementation(
      spec,
      context,
      parsed(input, message),
      pipeline.interceptors,
    );
    const body = output.serialize(answer);
    return { call, status: 200, body, ...recordOf(sent()) };
  } catch (error) {
    return { call, ...errorAnswer(error, sent()) };
  } finally {
    endCall();
  }
}

/** Creates the context of a call, with its deadline. Call `endCall` when it is answered. */
function beginCall(
  { method }: UnarySpec,
  headers: Call['headers'],
  { maxTimeoutMs }: Pipeline,
  { request, calls }: Exchange,
) {
  const given = parseTimeout(headers[TIMEOUT] ?? null, Number.MAX_SAFE_INTEGER);
  const timeoutMs = given.timeoutMs === undefined ? undefined : Math.min(given.timeoutMs, maxTimeoutMs);
  const endsAt = performance.now() + (timeoutMs ?? 0);
  const controller = new AbortController();
  const late = { expire: () => controller.abort(tookTooLong()) };
  const tick = timeoutMs === undefined ? undefined : startDeadline(late, timeoutMs);
  calls.add(late.expire);
  const context: HandlerContext = {
    method,
    service: method.parent,
    requestMethod: 'POST',
    protocolName: 'connect',
    url: `http://${request?.headers.host ?? ''}/${method.parent.typeName}/${method.name}`,
    signal: controller.signal,
    timeoutMs: () => (timeoutMs === undefined ? undefined : endsAt - performance.now()),
    requestHeader: new Headers(headers),
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    values: request ? valuesOf(request) : createContextValues(),
  };
  const endCall = () => {
    calls.delete(late.expire);
    if (tick !== undefined) cancelDeadline(late, tick);
    controller.abort(OVER);
  };
  return { context, timeoutError: given.error, endCall };
}

/** Parses a message. Throws INVALID_ARGUMENT if it cannot be decoded, because that is the caller's error. */
function parsed(input: Serialization<Message>, bytes: Uint8Array): Message {
  try {
    return input.parse(bytes);
  } catch {
    throw new ConnectError('the message cannot be decoded', Code.InvalidArgument);
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

function errorAnswer(thrown: unknown, headers: Headers) {
  const error = thrown instanceof ConnectError ? thrown : new ConnectError('internal error', Code.Internal);
  if (!error.isWireError) mergeNonProtocolHeaders(headers, error.metadata);
  const body = errorToJsonBytes(error, undefined);
  return { status: codeToHttpStatus(error.code), body, ...recordOf(headers) };
}

function recordOf(headers: Headers): Pick<Answer, 'headers' | 'setCookies'> {
  const { 'set-cookie': _each, ...single } = Object.fromEntries(headers);
  return { headers: single, setCookies: headers.getSetCookie() };
}
