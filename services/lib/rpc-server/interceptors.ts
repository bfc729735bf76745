import type { Interceptor } from '@connectrpc/connect';
import type { Logger } from '../log/index.ts';
import { runInContext } from '../request-context/index.ts';
import {
  authorise,
  contextOf,
  type HeaderOf,
  MAX_DURATION_MS,
  observed,
  tookTooLong,
  validate,
} from './call-rules.ts';
import type { ObserveCall } from './rpc-durations.ts';
import type { VerifyToken } from './verify-token.ts';

const headerOf =
  (headers: Headers): HeaderOf =>
  (name) =>
    headers.get(name) ?? '';

/** The rules of a call for Connect's own handlers, from the outermost to the innermost. */
export function callInterceptors(
  log: Logger,
  observeCall: ObserveCall,
  verifyToken: VerifyToken,
): Interceptor[] {
  const observe: Interceptor = (next) => (request) =>
    runInContext(contextOf(headerOf(request.header)), () =>
      observed(`${request.service.typeName}/${request.method.name}`, log, observeCall, () =>
        request.stream ? next(request) : inTime(next(request), request.signal),
      ),
    );
  const identify: Interceptor = (next) => async (request) => {
    const { service, method, header, contextValues } = request;
    await authorise(verifyToken, service, method, headerOf(header), contextValues);
    return next(request);
  };
  const check: Interceptor = (next) => async (request) => {
    if (!request.stream) validate(request.method, request.message);
    return next(request);
  };
  return [observe, identify, check];
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
