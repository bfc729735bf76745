import type { DescMethod, MessageShape } from '@bufbuild/protobuf';
import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import type { Logger } from '../log/index.ts';
import { inThisContext, runInContext } from '../request-context/index.ts';
import {
  type Admission,
  admit,
  contextOf,
  type HeaderOf,
  inCall,
  MAX_DURATION_MS,
  observed,
  observedStream,
  tookTooLong,
  validate,
} from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';
import type { ObserveCall } from './rpc-durations.ts';

const MAX_DISCARDED_BYTES = 64 * 1024;

const headerOf =
  (headers: Headers): HeaderOf =>
  (name) =>
    headers.get(name) ?? '';

/** The request as Node has it: Connect's context knows neither its peer nor whether its body has come. */
const requestKey = createContextKey<ArrivedRequest | undefined>(undefined);

/** The values of a call before anything is known of its caller. */
export function valuesOf(request: ArrivedRequest): ContextValues {
  return createContextValues().set(requestKey, request);
}

/**
 * Judges a call for Connect's own handlers by its head alone: whoever is not let in has no byte of a body read, inflated
 * or parsed, whatever the protocol.
 */
export function callGate(
  log: Logger,
  observeCall: ObserveCall,
  admission: Admission,
): (context: HandlerContext) => Promise<void> {
  return async ({ method, requestHeader, values }) => {
    const header = headerOf(requestHeader);
    const request = values.get(requestKey);
    const head = { method, header, request };
    const rpc = `${method.parent.typeName}/${method.name}`;
    try {
      await runInContext(contextOf(header), () =>
        observed(rpc, log, observeCall, () => admit(admission, head, values), true),
      );
    } catch (error) {
      // HTTP/2 resets the stream, once it is answered.
      if (request?.httpVersionMajor === 1 && !request.complete) discardBody(request);
      throw error;
    }
  };
}

/**
 * Reads what is left of a refused body, and forgets it: to a client that is still sending, a connection that ends is a
 * failure of the network and no answer. More than 64 KiB of it ends the connection all the same.
 */
function discardBody(request: ArrivedRequest): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > MAX_DISCARDED_BYTES) request.socket.destroy();
  });
}

/** The rules of a call that was let in, for Connect's own handlers, from the outermost to the innermost. */
export function callInterceptors(log: Logger, observeCall: ObserveCall): Interceptor[] {
  const observe: Interceptor = (next) => (request) => {
    const rpc = `${request.service.typeName}/${request.method.name}`;
    return inCall(rpc, headerOf(request.header), () =>
      observed(rpc, log, observeCall, async () => {
        if (!request.stream) return inTime(next(request), request.signal);
        const response = await next(request);
        if (!response.stream) return response;
        const messages = observedStream(rpc, log, observeCall, response.message);
        // They are made as they are pulled, which is after this function has returned.
        return { ...response, message: inThisContext(messages) };
      }),
    );
  };
  const check: Interceptor = (next) => async (request) => {
    if (!request.stream) {
      validate(request.method, request.message);
      return next(request);
    }
    if (request.method.methodKind !== 'server_streaming') return next(request);
    return next({ ...request, message: checked(request.method, request.message) });
  };
  return [observe, check];
}

async function* checked<Message extends MessageShape<DescMethod['input']>>(
  method: DescMethod,
  messages: AsyncIterable<Message>,
): AsyncIterable<Message> {
  for await (const message of messages) {
    validate(method, message);
    yield message;
  }
}

async function inTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let tooLate = () => {};
  const end = new Promise<never>((_, reject) => {
    tooLate = () => reject(tookTooLong());
  });
  const timer = setTimeout(tooLate, MAX_DURATION_MS);
  signal.addEventListener('abort', tooLate, { once: true });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    // The signal is aborted when the call is over, too, and by then nobody listens.
    signal.removeEventListener('abort', tooLate);
  }
}
