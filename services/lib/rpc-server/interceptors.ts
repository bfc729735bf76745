import { getOption, hasOption } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { access } from '@supplier/proto/common/v1/options';
import { checkMessage } from '../contract-rules/index.ts';
import { newId } from '../ids/index.ts';
import type { Logger } from '../log/index.ts';
import { isUnavailable } from '../postgres/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { continueTrace, runInContext } from '../request-context/index.ts';
import { callerKey, PRINCIPAL_HEADER, principalKey, readPrincipal } from './caller.ts';
import type { ObserveCall } from './rpc-durations.ts';
import type { VerifyToken } from './verify-token.ts';

const GATEWAY = 'service:gateway';
const MAX_DURATION_MS = 10_000;
const HEALTH_SERVICE = 'grpc.health.v1.Health';
const REFLECTION_SERVICE = 'grpc.reflection.v1.ServerReflection';
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Outermost: gives the call its context, measures it, ends it in time, and lets no cause of a failure out. */
export function observe(log: Logger, observeCall: ObserveCall): Interceptor {
  return (next) => (request) => {
    const given = request.header.get('x-request-id') ?? '';
    const context = {
      requestId: REQUEST_ID.test(given) ? given : newId(),
      traceParent: continueTrace(request.header.get('traceparent') ?? undefined),
    };
    return runInContext(context, async () => {
      const rpc = `${request.service.typeName}/${request.method.name}`;
      const begun = performance.now();
      const ended = (code?: Code) => observeCall(rpc, code, (performance.now() - begun) / 1_000);
      try {
        const response = await (request.stream ? next(request) : inTime(next(request), request.signal));
        ended();
        return response;
      } catch (error) {
        const shown = publicError(error, rpc, log);
        ended(shown.code);
        throw shown;
      }
    });
  };
}

async function inTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let tooLate = () => {};
  const end = new Promise<never>((_, reject) => {
    tooLate = () => reject(new ConnectError('the call took too long', Code.DeadlineExceeded));
  });
  const timer = setTimeout(tooLate, MAX_DURATION_MS);
  signal.addEventListener('abort', tooLate, { once: true });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    // The signal is aborted when the call is over, too, and nobody is left to hear of it.
    signal.removeEventListener('abort', tooLate);
  }
}

/** Errors with a code are the service's own words; everything else is told to the log alone. */
function publicError(error: unknown, rpc: string, log: Logger): ConnectError {
  if (error instanceof ConnectError && error.cause === undefined) return error;
  if (isUnavailable(error)) {
    log.warn({ err: error, rpc }, 'a call failed because the database is away');
    return refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
  }
  if (error instanceof ConnectError && error.code !== Code.Unknown && error.code !== Code.Internal) {
    log.info({ err: error.cause, rpc, code: Code[error.code] }, 'a call was refused');
    return new ConnectError(error.rawMessage, error.code);
  }
  log.error({ err: error, rpc }, 'a call failed');
  return new ConnectError('internal error', Code.Internal);
}

/** Lets a call through only with a token whose role the method's contract names. A method that names none is closed. */
export function authorise(verifyToken: VerifyToken): Interceptor {
  return (next) => async (request) => {
    // Probes come without a token and learn nothing but whether the process serves.
    if (request.service.typeName === HEALTH_SERVICE) return next(request);
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(request.header.get('authorization') ?? '')?.[1];
    if (!token) throw new ConnectError('a token is required', Code.Unauthenticated);
    const caller = await verifyToken(token);
    request.contextValues.set(callerKey, caller);
    if (request.service.typeName === REFLECTION_SERVICE) return next(request);

    const allowed = hasOption(request.method, access) ? getOption(request.method, access).roles : [];
    if (!caller.roles.some((role) => allowed.includes(role))) {
      throw new ConnectError('this call is not for the role of the caller', Code.PermissionDenied);
    }
    const principal = request.header.get(PRINCIPAL_HEADER);
    if (principal !== null && caller.roles.includes(GATEWAY)) {
      request.contextValues.set(principalKey, readPrincipal(principal));
    }
    return next(request);
  };
}

/** Innermost: refuses a message that breaks the rules of its contract, with every violation. */
export const validate: Interceptor = (next) => async (request) => {
  if (!request.stream) {
    const violations = checkMessage(request.method.input, request.message);
    if (violations.length > 0) {
      throw refuse(RefusalCode.VALIDATION_ERROR, 'The message breaks the rules of its contract.', {
        violations,
      });
    }
  }
  return next(request);
};
