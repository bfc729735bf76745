import {
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type ContextValues } from '@connectrpc/connect';
import { access } from '@supplier/proto/common/v1/options';
import { checkMessage } from '../contract-rules/index.ts';
import { newId } from '../ids/index.ts';
import type { Logger } from '../log/index.ts';
import { isUnavailable } from '../postgres/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { continueTrace, type RequestContext } from '../request-context/index.ts';
import { callerKey, PRINCIPAL_HEADER, principalKey, readPrincipal } from './caller.ts';
import type { ObserveCall } from './rpc-durations.ts';
import type { VerifyToken } from './verify-token.ts';

/** The longest that a unary call may take, whatever its caller allows. */
export const MAX_DURATION_MS = 10_000;
const GATEWAY = 'service:gateway';
const HEALTH_SERVICE = 'grpc.health.v1.Health';
const REFLECTION_SERVICE = 'grpc.reflection.v1.ServerReflection';
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const BEARER = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/;

/** A header of the call by its lower-case name; empty when it was not sent. */
export type HeaderOf = (name: string) => string;

/** The context of a call: a request id that cannot be echoed is replaced. */
export function contextOf(header: HeaderOf): RequestContext {
  const given = header('x-request-id');
  return {
    requestId: REQUEST_ID.test(given) ? given : newId(),
    traceParent: continueTrace(header('traceparent')),
  };
}

/** Measures a call and lets no cause of a failure out. */
export async function observed<Result>(
  rpc: string,
  log: Logger,
  observeCall: ObserveCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const ended = (code?: Code) => observeCall(rpc, code, (performance.now() - begun) / 1_000);
  try {
    const result = await work();
    ended();
    return result;
  } catch (error) {
    const shown = publicError(error, rpc, log);
    ended(shown.code);
    throw shown;
  }
}

export function tookTooLong(): ConnectError {
  return new ConnectError('the call took too long', Code.DeadlineExceeded);
}

/** Errors with a code are the service's own answer; everything else is logged only. */
function publicError(error: unknown, rpc: string, log: Logger): ConnectError {
  if (error instanceof ConnectError && error.cause === undefined) return error;
  if (isUnavailable(error)) {
    log.warn({ err: error, rpc }, 'database unavailable');
    return refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
  }
  if (error instanceof ConnectError && error.code !== Code.Unknown && error.code !== Code.Internal) {
    log.info({ err: error.cause, rpc, code: Code[error.code] }, 'call refused');
    return new ConnectError(error.rawMessage, error.code);
  }
  log.error({ err: error, rpc }, 'call failed');
  return new ConnectError('internal error', Code.Internal);
}

/**
 * Lets a call through only with a token whose role the method's contract names, and notes who calls. A method that names
 * none is closed.
 */
export async function authorise(
  verifyToken: VerifyToken,
  service: DescService,
  method: DescMethod,
  header: HeaderOf,
  values: ContextValues,
): Promise<void> {
  // Probes come without a token and learn nothing but whether the process serves.
  if (service.typeName === HEALTH_SERVICE) return;
  const token = BEARER.exec(header('authorization'))?.[1];
  if (!token) throw new ConnectError('a token is required', Code.Unauthenticated);
  const caller = await verifyToken(token);
  values.set(callerKey, caller);
  if (service.typeName === REFLECTION_SERVICE) return;

  const allowed = rolesOf(method);
  if (!caller.roles.some((role) => allowed.includes(role))) {
    throw new ConnectError('this call is not for the role of the caller', Code.PermissionDenied);
  }
  const principal = header(PRINCIPAL_HEADER);
  if (principal !== '' && caller.roles.includes(GATEWAY)) values.set(principalKey, readPrincipal(principal));
}

const knownRoles = new WeakMap<DescMethod, readonly string[]>();

/** Reading an option decodes it: done once for each method. */
function rolesOf(method: DescMethod): readonly string[] {
  const known = knownRoles.get(method);
  if (known) return known;
  const roles = hasOption(method, access) ? getOption(method, access).roles : [];
  knownRoles.set(method, roles);
  return roles;
}

/** Refuses a message that breaks the rules of its contract, with every violation. */
export function validate(method: DescMethod, message: MessageShape<DescMethod['input']>): void {
  const violations = checkMessage(method.input, message);
  if (violations.length === 0) return;
  throw refuse(RefusalCode.VALIDATION_ERROR, 'The message breaks the rules of its contract.', { violations });
}
