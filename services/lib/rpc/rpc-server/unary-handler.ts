import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { create, type Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createServiceImplSpec,
  type MethodImplSpec,
} from '@connectrpc/connect';
import {
  createMethodSerializationLookup,
  mergeNonProtocolHeaders,
  type Serialization,
} from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect';
import type { Logger } from '../../runtime/log/index.ts';
import {
  type Admission,
  admit,
  enterStaffCall,
  type HeaderOf,
  inCall,
  inTime,
  maxDurationMs,
  type ObserveCall,
  observed,
  staffCallKey,
  validate,
} from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';
import { UnaryContext } from './unary-context.ts';
import { readBody, send, type UnaryAnswer } from './unary-http.ts';

type UnarySpec = Extract<MethodImplSpec, { kind: 'unary' }>;

interface Route {
  readonly rpc: string;
  readonly spec: UnarySpec;
  readonly input: Serialization<Message>;
  readonly output: Serialization<Message>;
}

/** A call that arrived alone in its request or among others. */
export interface ArrivedCall {
  readonly headers: IncomingHttpHeaders;
  /** Why the call is rejected before anything of it is read. */
  readonly fault?: ConnectError | undefined;
  readonly request: ArrivedRequest | undefined;
  /** Called once, after the caller is admitted. Rejects with RESOURCE_EXHAUSTED for a body that is too large. */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array>;
  /** Registers `end`, to be called when the caller no longer waits for the answer. */
  readonly onGone: (end: () => void) => void;
}

export interface RpcRules {
  readonly log: Logger;
  readonly observeCall: ObserveCall;
  readonly admission: Admission;
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
  readonly maxTimeoutMs: number;
}

/**
 * Answers unary calls in plain binary over HTTP/1.1, like all between our services. Applies the rules of Connect's own
 * handlers, in order; calls whose message cannot be read are measured too.
 */
export class UnaryHandler {
  readonly rules: RpcRules;
  readonly #routes = new Map<string, Route>();

  constructor(rules: RpcRules) {
    this.rules = rules;
  }

  /** Returns a router that registers unary methods with this handler. */
  learning(router: ConnectRouter): ConnectRouter {
    const learning: ConnectRouter = {
      handlers: router.handlers,
      service: (service, implementation, options) => {
        for (const spec of Object.values(createServiceImplSpec(service, implementation).methods))
          this.#learn(spec);
        router.service(service, implementation, options);
        return learning;
      },
      rpc: (method, implementation, options) => {
        router.rpc(method, implementation, options);
        return learning;
      },
    };
    return learning;
  }

  #learn(spec: MethodImplSpec): void {
    if (spec.kind !== 'unary') return;
    const { parent, name } = spec.method;
    const rpc = `${parent.typeName}/${name}`;
    const lookup = createMethodSerializationLookup(spec.method, undefined, undefined, this.rules);
    this.#routes.set(`/${rpc}`, { rpc, spec, input: lookup.getI(true), output: lookup.getO(true) });
  }

  get paths(): readonly string[] {
    return [...this.#routes.keys()];
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    const answer = await this.answer(path.slice(1), {
      headers: request.headers,
      request,
      readBody: (maxBytes) => readBody(request, maxBytes),
      onGone: (end) => response.on('close', end),
    });
    send(response, answer);
  }

  /** Answers a call of `package.Service/Method`, with UNIMPLEMENTED if it is unknown. Never rejects. */
  async answer(rpc: string, call: ArrivedCall): Promise<UnaryAnswer> {
    const route = this.#routes.get(`/${rpc}`);
    if (route) return this.#answer(route, call);
    return errorAnswer(new ConnectError('there is no such method', Code.Unimplemented), undefined);
  }

  async #answer(route: Route, arrived: ArrivedCall): Promise<UnaryAnswer> {
    const { log, observeCall, maxTimeoutMs } = this.rules;
    const header: HeaderOf = (name) => textOf(arrived.headers[name]);
    const given = arrived.headers['connect-timeout-ms'];
    const timeout = parseTimeout(given === undefined ? null : textOf(given), Number.MAX_SAFE_INTEGER);
    const timeoutMs = timeout.timeoutMs === undefined ? undefined : Math.min(timeout.timeoutMs, maxTimeoutMs);
    const { rpc, spec } = route;
    const context = new UnaryContext(spec.method, arrived.headers, timeoutMs);
    const longestMs = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, maxDurationMs(spec.method));
    const call = async () => {
      if (arrived.fault) throw arrived.fault;
      if (timeout.error) throw timeout.error;
      return this.#call(route, context, arrived, header);
    };
    try {
      const body = await inCall(rpc, header, () =>
        observed(rpc, log, observeCall, () =>
          inTime(longestMs, arrived.onGone, call, (error) => context.end(error)),
        ),
      );
      return { status: 200, contentType: contentTypeUnaryProto, body, headers: context.answerHeaders() };
    } catch (error) {
      return errorAnswer(ConnectError.from(error), context);
    }
  }

  async #call(
    { spec: { method, impl }, input, output }: Route,
    context: UnaryContext,
    { request, readBody }: ArrivedCall,
    header: HeaderOf,
  ): Promise<Uint8Array> {
    const { admission, readMaxBytes } = this.rules;
    await admit(admission, { method, header, request }, context.values);
    enterStaffCall(admission, method, context.values, () => context.signal);
    const message = parsed(input, await readBody(readMaxBytes));
    validate(method, message);
    const answer = async () => impl(message, context);
    const staffCall = context.values.get(staffCallKey);
    return output.serialize(create(method.output, await (staffCall ? staffCall.run(answer) : answer())));
  }
}

/** Parses a message. Throws INVALID_ARGUMENT if it cannot be decoded, because that is the caller's error. */
function parsed(input: Serialization<Message>, bytes: Uint8Array): Message {
  try {
    return input.parse(bytes);
  } catch (error) {
    const { code } = ConnectError.from(error);
    if (code !== Code.Internal) throw error;
    throw new ConnectError('the message cannot be decoded', Code.InvalidArgument);
  }
}

function errorAnswer(error: ConnectError, context: UnaryContext | undefined): UnaryAnswer {
  const headers = context?.answerHeaders() ?? new Headers();
  if (!error.isWireError) mergeNonProtocolHeaders(headers, error.metadata);
  return {
    status: codeToHttpStatus(error.code),
    contentType: contentTypeUnaryJson,
    body: errorToJsonBytes(error, undefined),
    headers,
  };
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.join(', ') ?? '');
}
