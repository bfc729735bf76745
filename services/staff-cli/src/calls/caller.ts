import { randomUUID } from 'node:crypto';
import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  Message,
  MessageShape,
} from '@bufbuild/protobuf';
import { ConnectError, createContextValues, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import type { ServiceConnector } from '../connection/connector.ts';
import type { Context } from '../connection/context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { ownerOf, type ServiceName } from '../services.ts';
import { connectionFailure } from './connection-failure.ts';
import { explainFailure } from './explain-failure.ts';

/** Bounds the memory used for one answer. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Timeout of a stream: the longest that a service allows. Longer work must resume from where it ended. */
const STREAM_TIMEOUT_MS = 60_000;

export interface CallerOptions {
  readonly context: Context;
  readonly connector: ServiceConnector;
  readonly token: string;
  /** Timeout of one call, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Returns the user's name for a request field, for errors that name it. */
  readonly labelOf?: (path: string) => string | undefined;
}

/** Makes calls to services. Every failure is a CommandFailure with a message for the user. */
export interface Caller {
  unary<O extends DescMessage>(
    method: DescMethod & { readonly output: O },
    request: Message,
  ): Promise<MessageShape<O>>;
  /** Starts a stream. With `watches`, it has no client-side timeout. */
  stream(method: DescMethod, request: Message, watches?: boolean): AsyncIterable<Message>;
  /** Returns the same calls to one service, for contracts that every service implements. */
  at(service: ServiceName): Pick<Caller, 'unary' | 'stream'>;
  /** Closes the connections. */
  close(): void;
}

/** Creates a caller over gRPC. It opens connections on first use. */
export function openCaller({ context, connector, token, timeoutMs, signal, labelOf }: CallerOptions): Caller {
  const opened = new Map<ServiceName, { transport: Transport; sessions: Http2SessionManager }>();
  const requestId = `sss-${randomUUID()}`;
  const header = { authorization: `Bearer ${token}`, 'x-request-id': requestId };

  async function transportTo(name: ServiceName): Promise<Transport> {
    const { url: baseUrl, tls } = await connector.to(name);
    const known = opened.get(name);
    if (known) return known.transport;
    const nodeOptions = baseUrl.startsWith('https:') ? tls : {};
    const sessions = new Http2SessionManager(baseUrl, {}, nodeOptions);
    const transport = createGrpcTransport({
      baseUrl,
      nodeOptions,
      sessionManager: sessions,
      readMaxBytes: MAX_ANSWER_BYTES,
    });
    opened.set(name, { transport, sessions });
    return transport;
  }

  async function explained(error: unknown, method: DescMethod, service: ServiceName) {
    // The connection could not be set up, and the error already explains why.
    if (error instanceof CommandFailure) return error;
    const { address } = context.services[service];
    const failure = ConnectError.from(error);
    const kubectlError = connectionFailure(failure) && (await connector.lastErrorOf(service));
    const about = { method, service, address, kubectlError, requestId, labelOf };
    return explainFailure(failure, about, signal.aborted);
  }

  const callsTo = (named?: ServiceName): Pick<Caller, 'unary' | 'stream'> => ({
    async unary<O extends DescMessage>(method: DescMethod & { readonly output: O }, request: Message) {
      const service = serviceFor(method, named);
      try {
        const { message } = await (await transportTo(service)).unary(
          method as DescMethodUnary,
          signal,
          timeoutMs,
          header,
          request,
          createContextValues(),
        );
        return message as MessageShape<O>;
      } catch (error) {
        throw await explained(error, method, service);
      }
    },
    async *stream(method, request, watches = false) {
      const service = serviceFor(method, named);
      try {
        const { message } = await (await transportTo(service)).stream(
          method as DescMethodStreaming,
          signal,
          watches ? undefined : STREAM_TIMEOUT_MS,
          header,
          once(request),
          createContextValues(),
        );
        yield* message;
      } catch (error) {
        throw await explained(error, method, service);
      }
    },
  });

  return {
    ...callsTo(),
    at: callsTo,
    close() {
      for (const { sessions } of opened.values()) sessions.abort();
    },
  };
}

function serviceFor({ parent }: DescMethod, named: ServiceName | undefined): ServiceName {
  const service = ownerOf(parent) ?? named;
  if (service === undefined) throw new Error(`several services implement ${parent.typeName}: name one`);
  return service;
}

async function* once<T>(value: T): AsyncIterable<T> {
  yield value;
}
