import type { DescMethod, MessageShape } from '@bufbuild/protobuf';
import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
} from '@connectrpc/connect';
import type { Logger } from '../../runtime/log/index.ts';
import { inThisContext, runInContext } from '../../runtime/request-context/index.ts';
import {
  type Admission,
  admit,
  contextOf,
  enterStaffCall,
  type HeaderOf,
  inCall,
  inTime,
  maxDurationMs,
  type ObserveCall,
  observed,
  observedStream,
  staffCallKey,
  startMeasuring,
  validate,
} from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';
import { boundUpload } from './open-uploads.ts';

const headerOf =
  (headers: Headers): HeaderOf =>
  (name) =>
    headers.get(name) ?? '';

/** Node's request object: Connect's context knows neither the peer nor whether the body has arrived. */
const requestKey = createContextKey<ArrivedRequest | undefined>(undefined);

/** Whether the message of a call has been decoded: an error after that is not about its bytes. */
export const decodedKey = createContextKey(false);

/** Creates the context values of a call before its caller is known. */
export function valuesOf(request: ArrivedRequest): ContextValues {
  return createContextValues().set(requestKey, request);
}

/** Returns the request that carried a call of Connect's own handlers. */
export const arrivedRequestOf = (values: ContextValues): ArrivedRequest | undefined => values.get(requestKey);

/** Admits a call by its head: no byte of a denied caller's body is read, in any protocol. */
export function callGate(
  log: Logger,
  observeCall: ObserveCall,
  admission: Admission,
): (context: HandlerContext) => Promise<void> {
  return async ({ method, requestHeader, values, signal }) => {
    const header = headerOf(requestHeader);
    const request = values.get(requestKey);
    const head = { method, header, request };
    const rpc = `${method.parent.typeName}/${method.name}`;
    await runInContext(contextOf(header), () =>
      observed(
        rpc,
        log,
        observeCall,
        async () => {
          await admit(admission, head, values);
          enterStaffCall(admission, method, values, () => signal);
        },
        startMeasuring(rpc, observeCall),
      ),
    );
    if (request) boundUpload(request, signal, method.methodKind);
  };
}

/** Returns the interceptors of an admitted call for Connect's own handlers, outermost first. */
export function callInterceptors(log: Logger, observeCall: ObserveCall): Interceptor[] {
  const observe: Interceptor = (next) => (request) => {
    const rpc = `${request.service.typeName}/${request.method.name}`;
    const { signal } = request;
    return inCall(rpc, headerOf(request.header), () => {
      if (!request.stream) {
        return observed(rpc, log, observeCall, () =>
          inTime(
            maxDurationMs(request.method),
            (end) => signal.addEventListener('abort', end, { once: true }),
            async () => {
              // Its caller left, or its time was up, while it was being admitted.
              signal.throwIfAborted();
              return next(request);
            },
          ),
        );
      }
      const endCall = startMeasuring(rpc, observeCall);
      const begin = async () => {
        const response = await next(request);
        if (!response.stream) return response;
        const messages = observedStream(rpc, log, endCall, response.message, signal);
        // Answers are produced as they are pulled, after this function has returned.
        return { ...response, message: inThisContext(messages) };
      };
      return observed(rpc, log, observeCall, begin, endCall);
    });
  };
  const check: Interceptor = (next) => async (request) => {
    if (!request.stream) {
      request.contextValues.set(decodedKey, true);
      validate(request.method, request.message);
      return next(request);
    }
    if (request.method.methodKind !== 'server_streaming') return next(request);
    return next({ ...request, message: checked(request, request.message) });
  };
  const inTurn: Interceptor = (next) => (request) => {
    const staffCall = request.stream ? undefined : request.contextValues.get(staffCallKey);
    return staffCall ? staffCall.run(() => next(request)) : next(request);
  };
  return [observe, check, inTurn];
}

async function* checked<Message extends MessageShape<DescMethod['input']>>(
  { method, contextValues }: Pick<StreamRequest, 'method' | 'contextValues'>,
  messages: AsyncIterable<Message>,
): AsyncIterable<Message> {
  for await (const message of messages) {
    contextValues.set(decodedKey, true);
    validate(method, message);
    yield message;
  }
}
