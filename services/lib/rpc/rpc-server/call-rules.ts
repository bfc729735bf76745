import {
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type ContextValues, createContextKey } from '@connectrpc/connect';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { type OnBehalf, on_behalf } from '@supplier/proto/common/v1/behalf';
import { access } from '@supplier/proto/common/v1/options';
import { isUnavailable } from '../../data/postgres/index.ts';
import { cancelDeadline, startDeadline } from '../../runtime/deadlines/index.ts';
import type { Logger } from '../../runtime/log/index.ts';
import { CALL_SECONDS, Histogram, type Registry } from '../../runtime/metrics/index.ts';
import { type RequestContext, readTraceParent, runInContext } from '../../runtime/request-context/index.ts';
import { inRpcSpan } from '../../runtime/tracing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { checkMessage } from '../contract-rules/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { type Caller, callerKey, PRINCIPAL_HEADER, principalKey } from './caller.ts';
import type { ArrivedRequest, CallerConnections } from './caller-connections.ts';
import type { Denial, denials } from './denials.ts';
import { readPrincipal } from './read-principal.ts';
import type { StaffCall, StaffCalls } from './staff-calls.ts';
import type { VerifyToken } from './verify-token.ts';

/** The default maximum duration of a unary call, unless its contract says otherwise. */
export const MAX_DURATION_MS = 10_000;
const GATEWAY = 'service:gateway';
const HEALTH_SERVICE = 'grpc.health.v1.Health';
const REFLECTION_SERVICES = new Set([
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
]);
const WATCHES = /^Watch/;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
/** The scheme name is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** Returns a header of the call by its lower-case name; empty if it was not sent. */
export type HeaderOf = (name: string) => string;

/** Returns the context of a call, replacing a request id that cannot be echoed. */
export function contextOf(header: HeaderOf): RequestContext {
  const given = header('x-request-id');
  return {
    requestId: REQUEST_ID.test(given) ? given : newId(),
    traceParent: readTraceParent(header('traceparent')),
  };
}

/** Runs a call in its context and span. Health probes get no span; batched calls have one each. */
export function inCall<Result>(rpc: string, header: HeaderOf, work: () => Promise<Result>): Promise<Result> {
  return runInContext(contextOf(header), () =>
    rpc.startsWith(HEALTH_SERVICE) || rpc.startsWith(CallsService.typeName)
      ? work()
      : inRpcSpan('server', rpc, work),
  );
}

/** Records the end of a call, without a code on success. Only the first end counts. */
export type EndCall = (code?: Code) => void;

export function startMeasuring(rpc: string, observeCall: ObserveCall): EndCall {
  const startedAt = performance.now();
  let isOver = false;
  return (code) => {
    if (isOver) return;
    isOver = true;
    observeCall(rpc, code, (performance.now() - startedAt) / 1_000);
  };
}

/** Measures a call and hides why it failed. With `endCall`, the call continues after `work`. */
export async function observed<Result>(
  rpc: string,
  log: Logger,
  observeCall: ObserveCall,
  work: () => Promise<Result>,
  endCall?: EndCall,
): Promise<Result> {
  const end = endCall ?? startMeasuring(rpc, observeCall);
  try {
    const result = await work();
    if (!endCall) end();
    return result;
  } catch (error) {
    const shown = publicError(error, rpc, log);
    end(shown.code);
    throw shown;
  }
}

/** Measures a stream, which ends with its last message, on failure or with `signal`. */
export function observedStream<Message>(
  rpc: string,
  log: Logger,
  endCall: EndCall,
  messages: AsyncIterable<Message>,
  signal: AbortSignal,
): AsyncIterable<Message> {
  const breakOff = () => endCall(ConnectError.from(signal.reason, Code.Canceled).code);
  if (signal.aborted) breakOff();
  else signal.addEventListener('abort', breakOff, { once: true });
  return (async function* () {
    try {
      yield* messages;
      endCall();
    } catch (error) {
      const shown = publicError(error, rpc, log);
      endCall(shown.code);
      throw shown;
    }
  })();
}

export function tookTooLong(): ConnectError {
  return new ConnectError('the call took too long', Code.DeadlineExceeded);
}

/** Runs a call's work for at most `longestMs`, or until the caller is gone. Calls `onEnd` once. */
export function inTime<Result>(
  longestMs: number,
  onGone: (end: () => void) => void,
  work: () => Promise<Result>,
  onEnd: (error?: unknown) => void = () => {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      cancelDeadline(deadline, tick);
      onEnd(error);
    };
    const deadline = {
      expire() {
        if (isOver) return;
        const error = tookTooLong();
        end(error);
        reject(error);
      },
    };
    const tick = startDeadline(deadline, longestMs);
    onGone(deadline.expire);
    work().then(
      (result) => {
        end();
        resolve(result);
      },
      (error: unknown) => {
        end(error);
        reject(error);
      },
    );
  });
}

/** Returns what a caller may see: errors with a code. Everything else is only logged. */
export function publicError(error: unknown, rpc: string, log: Logger): ConnectError {
  if (error instanceof ConnectError && error.cause === undefined) return error;
  if (isUnavailable(error)) {
    log.warn({ err: error, rpc }, 'dependency unavailable');
    return refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
  }
  if (error instanceof ConnectError && error.code !== Code.Unknown && error.code !== Code.Internal) {
    log.info({ err: error.cause, rpc, code: Code[error.code] }, 'call refused');
    return new ConnectError(error.rawMessage, error.code);
  }
  log.error({ err: error, rpc }, 'call failed');
  return new ConnectError('internal error', Code.Internal);
}

export interface Admission {
  readonly verifyToken: VerifyToken;
  readonly denials: ReturnType<typeof denials>;
  readonly connections: Pick<CallerConnections, 'prove'>;
  readonly staffCalls: StaffCalls;
}

/** The staff share of an admitted call; undefined for other callers. */
export const staffCallKey = createContextKey<StaffCall | undefined>(undefined);

/** The head of a call: everything checked before its body is read. */
export interface CallHead {
  readonly method: DescMethod;
  readonly header: HeaderOf;
  readonly request: ArrivedRequest | undefined;
}

/**
 * Admits a call with a token whose role its contract names; the gateway only for a supplier with the method's scope.
 * Throws UNAUTHENTICATED or PERMISSION_DENIED, counted and logged, or INVALID_ARGUMENT.
 */
export async function admit(admission: Admission, head: CallHead, values: ContextValues): Promise<void> {
  // Health probes have no token and learn only whether the process is serving.
  if (head.method.parent.typeName === HEALTH_SERVICE) return;
  await judge(admission, head, values);
  if (head.request) admission.connections.prove(head.request);
}

async function judge(
  { verifyToken, denials }: Admission,
  { method, header, request }: CallHead,
  values: ContextValues,
): Promise<void> {
  const service = method.parent.typeName;
  const address = request?.socket.remoteAddress ?? '';
  const denied = (code: Code, message: string, denial: Pick<Denial, 'reason' | 'why'>, caller?: Caller) => {
    denials.deny({ rpc: `${service}/${method.name}`, address, ...denial, ...caller });
    return new ConnectError(message, code);
  };
  const token = BEARER.exec(header('authorization'))?.[1];
  if (!token) throw denied(Code.Unauthenticated, 'a token is required', { reason: 'no_token' });
  const caller = await verifyToken(token);
  if ('reason' in caller) {
    throw caller.reason === 'other_audience'
      ? denied(Code.PermissionDenied, 'the token is meant for another service', caller)
      : denied(Code.Unauthenticated, 'a valid token is required', caller);
  }
  values.set(callerKey, caller);
  if (REFLECTION_SERVICES.has(service)) return;

  const { roles, onBehalf } = contractOf(method);
  if (!caller.roles.some((role) => roles.includes(role))) {
    const message = "the caller's role may not make this call";
    throw denied(Code.PermissionDenied, message, { reason: 'role' }, caller);
  }
  if (!caller.roles.includes(GATEWAY)) return;
  const read = header(PRINCIPAL_HEADER) === '' ? undefined : readPrincipal(header(PRINCIPAL_HEADER));
  const principal = read?.principal;
  values.set(principalKey, principal);
  if (!roles.includes(GATEWAY) || onBehalf?.nobody) return;
  if (!principal) {
    const message = 'this call must be made on behalf of a supplier';
    throw denied(Code.PermissionDenied, message, { reason: 'no_supplier' }, caller);
  }
  if (!onBehalf?.anyScope.some((scope) => principal.scopes.includes(scope))) {
    const message = 'the supplier lacks the scope for this call';
    throw denied(Code.PermissionDenied, message, { reason: 'scope' }, caller);
  }
  read?.remember();
}

/** Enters a staff call until `signalOf` aborts. Throws RESOURCE_EXHAUSTED for too many calls. */
export function enterStaffCall(
  { staffCalls }: Admission,
  method: DescMethod,
  values: ContextValues,
  signalOf: () => AbortSignal,
): void {
  const caller = values.get(callerKey);
  const isStream = method.methodKind === 'server_streaming';
  // The services bound their Watch streams, which share their reads.
  if (!caller || !(method.methodKind === 'unary' || isStream) || (isStream && WATCHES.test(method.name)))
    return;
  // A call with a longer limit waits for something outside the process and barely uses the database.
  const isLong = isStream || contractOf(method).maxDurationMs > MAX_DURATION_MS;
  const call = staffCalls.enter(caller, isLong);
  if (!call) return;
  values.set(staffCallKey, call);
  const signal = signalOf();
  if (signal.aborted) call.leave();
  else signal.addEventListener('abort', call.leave, { once: true });
}

/** Who may call a method, and for which suppliers. Without a role, nobody may. */
interface MethodContract {
  readonly roles: readonly string[];
  readonly onBehalf: OnBehalf | undefined;
  readonly maxDurationMs: number;
}

const knownContracts = new WeakMap<DescMethod, MethodContract>();

/** Caches the contract per method, because reading an option decodes it. */
function contractOf(method: DescMethod): MethodContract {
  const known = knownContracts.get(method);
  if (known) return known;
  const { roles, maxSeconds } = getOption(method, access);
  const contract = {
    roles,
    maxDurationMs: maxSeconds === 0 ? MAX_DURATION_MS : maxSeconds * 1_000,
    onBehalf: hasOption(method, on_behalf) ? getOption(method, on_behalf) : undefined,
  };
  knownContracts.set(method, contract);
  return contract;
}

/** Returns the maximum duration of a unary call, in milliseconds, regardless of the caller's deadline. */
export const maxDurationMs = (method: DescMethod): number => contractOf(method).maxDurationMs;

/** Rejects a message that breaks the rules of its contract, listing the violations. */
export function validate(method: DescMethod, message: MessageShape<DescMethod['input']>): void {
  const violations = checkMessage(method.input, message);
  if (violations.length === 0) return;
  throw refuse(RefusalCode.VALIDATION_ERROR, 'The request is invalid.', { violations });
}

/** Records a call that has ended; `code` is undefined on success. */
export type ObserveCall = (rpc: string, code: Code | undefined, seconds: number) => void;

/** Measures calls by method and code. Only methods that the process serves appear here. */
export function rpcDurations(registry: Registry, services: readonly DescService[] = []): ObserveCall {
  const durations = new Histogram({
    name: 'sss_rpc_duration_seconds',
    help: 'Duration of RPCs at the server, by method and Connect code.',
    labelNames: ['rpc', 'code'] as const,
    buckets: CALL_SECONDS,
    registers: [registry],
  });
  for (const { typeName, methods } of services)
    for (const { name } of methods) durations.zero({ rpc: `${typeName}/${name}`, code: 'OK' });
  return (rpc, code, seconds) => {
    durations.observe({ rpc, code: code === undefined ? 'OK' : Code[code] }, seconds);
  };
}
