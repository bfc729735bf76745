import { type DescMethod, getOption, hasOption, type MessageShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ContextValues, createContextKey } from '@connectrpc/connect';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { type OnBehalf, on_behalf } from '@supplier/proto/common/v1/behalf';
import { access } from '@supplier/proto/common/v1/options';
import { isUnavailable } from '../../data/postgres/index.ts';
import { cancelDeadline, startDeadline } from '../../runtime/deadlines/index.ts';
import type { Logger } from '../../runtime/log/index.ts';
import { type RequestContext, readTraceParent, runInContext } from '../../runtime/request-context/index.ts';
import { inRpcSpan } from '../../runtime/tracing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { checkMessage } from '../contract-rules/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { type Caller, callerKey, PRINCIPAL_HEADER, principalKey } from './caller.ts';
import type { ArrivedRequest, CallerConnections } from './caller-connections.ts';
import type { Denial, Denials } from './denials.ts';
import { readPrincipal } from './read-principal.ts';
import type { ObserveCall } from './rpc-durations.ts';
import type { StaffCall, StaffCalls } from './staff-calls.ts';
import type { VerifyToken } from './verify-token.ts';

/** The longest that a unary call may take whose contract says nothing else. */
export const MAX_DURATION_MS = 10_000;
const GATEWAY = 'service:gateway';
const HEALTH_SERVICE = 'grpc.health.v1.Health';
const REFLECTION_SERVICES = new Set([
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
]);
const WATCHES = /^Watch/;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
/** The scheme's name is written in any case (RFC 9110, section 11.1). */
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** A header of the call by its lower-case name; empty when it was not sent. */
export type HeaderOf = (name: string) => string;

/** The context of a call: a request id that cannot be echoed is replaced. */
export function contextOf(header: HeaderOf): RequestContext {
  const given = header('x-request-id');
  return {
    requestId: REQUEST_ID.test(given) ? given : newId(),
    traceParent: readTraceParent(header('traceparent')),
  };
}

/**
 * Answers a call in its context, and in a span of its caller's trace. Probes are too frequent for a span, and calls that
 * came together have one each.
 */
export function inCall<Result>(rpc: string, header: HeaderOf, work: () => Promise<Result>): Promise<Result> {
  return runInContext(contextOf(header), () =>
    rpc.startsWith(HEALTH_SERVICE) || rpc.startsWith(CallsService.typeName)
      ? work()
      : inRpcSpan('server', rpc, work),
  );
}

/** Takes note that a call has ended, without a code when it succeeded; of several ends only the first counts. */
export type EndCall = (code?: Code) => void;

/** Measures one call of `rpc`, from now until its end. */
export function startMeasuring(rpc: string, observeCall: ObserveCall): EndCall {
  const begun = performance.now();
  let isOver = false;
  return (code) => {
    if (isOver) return;
    isOver = true;
    observeCall(rpc, code, (performance.now() - begun) / 1_000);
  };
}

/**
 * Measures a call and hides the cause of a failure from the caller. With `endCall`, the call goes on after `work` and only
 * its failure ends it.
 */
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

/**
 * The answers of a stream, which ends after the last one, when it fails, or when `signal` aborts because its caller has
 * gone or its time is up. Hides the cause of a failure from the caller.
 */
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

/**
 * Does the work of a call. Ends it with DEADLINE_EXCEEDED when `longestMs` have passed, or when `onGone` says that nobody
 * waits for it any more. `onEnd` is called once, when it is over either way.
 */
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

/** What a caller may see of an error: those with a code are the service's own answer, everything else is logged only. */
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

/** What decides whether calls are admitted, the same for every protocol. */
export interface Admission {
  readonly verifyToken: VerifyToken;
  readonly denials: Denials;
  /** Notified of each call that was admitted. */
  readonly connections: Pick<CallerConnections, 'prove'>;
  readonly staffCalls: StaffCalls;
}

/** The share of an admitted call of staff; undefined for any other. */
export const staffCallKey = createContextKey<StaffCall | undefined>(undefined);

/** The head of a call: everything that is checked before its body is read. */
export interface CallHead {
  readonly method: DescMethod;
  readonly header: HeaderOf;
  /** The request that it arrived with. */
  readonly request: ArrivedRequest | undefined;
}

/**
 * Admits a call only with a token whose role the method's contract names, and notes who calls; the gateway only for a
 * supplier with the scope for that method. A method whose contract names no role is closed. Throws UNAUTHENTICATED or
 * PERMISSION_DENIED, which is counted and logged; INVALID_ARGUMENT for a malformed principal.
 */
export async function admit(admission: Admission, head: CallHead, values: ContextValues): Promise<void> {
  // Probes come without a token and learn nothing but whether the process serves.
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
    const message = 'this call is not for the role of the caller';
    throw denied(Code.PermissionDenied, message, { reason: 'role' }, caller);
  }
  if (!caller.roles.includes(GATEWAY)) return;
  const read = header(PRINCIPAL_HEADER) === '' ? undefined : readPrincipal(header(PRINCIPAL_HEADER));
  const principal = read?.principal;
  values.set(principalKey, principal);
  if (!roles.includes(GATEWAY) || onBehalf?.nobody) return;
  if (!principal) {
    const message = 'this call is made on behalf of a supplier';
    throw denied(Code.PermissionDenied, message, { reason: 'no_supplier' }, caller);
  }
  if (!onBehalf?.anyScope.some((scope) => principal.scopes.includes(scope))) {
    const message = 'the supplier has no scope for this call';
    throw denied(Code.PermissionDenied, message, { reason: 'scope' }, caller);
  }
  read?.remember();
}

/**
 * Takes in an admitted call of staff, until `signalOf` aborts, which it does when the call is over. Throws
 * RESOURCE_EXHAUSTED when its caller has too many.
 */
export function enterStaffCall(
  { staffCalls }: Admission,
  method: DescMethod,
  values: ContextValues,
  signalOf: () => AbortSignal,
): void {
  const caller = values.get(callerKey);
  const isStream = method.methodKind === 'server_streaming';
  // Streams that watch are bounded by `lib/rpc/watch`, and share what they read.
  if (!caller || !(method.methodKind === 'unary' || isStream) || (isStream && WATCHES.test(method.name)))
    return;
  // A call that may take longer than others waits for somebody outside, and uses the database only in passing.
  const isLong = isStream || contractOf(method).maxDurationMs > MAX_DURATION_MS;
  const call = staffCalls.enter(caller, isLong);
  if (!call) return;
  values.set(staffCallKey, call);
  const signal = signalOf();
  if (signal.aborted) call.leave();
  else signal.addEventListener('abort', call.leave, { once: true });
}

/** Who may call a method, and for which suppliers the gateway may; nobody, where its contract says nothing. */
interface MethodContract {
  readonly roles: readonly string[];
  readonly onBehalf: OnBehalf | undefined;
  readonly maxDurationMs: number;
}

const knownContracts = new WeakMap<DescMethod, MethodContract>();

/** Reading an option decodes it, so it is read once for each method. */
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

/** The longest that a unary call may take, in milliseconds, whatever its caller allows. */
export const maxDurationMs = (method: DescMethod): number => contractOf(method).maxDurationMs;

/** Refuses a message that breaks the rules of its contract, with every violation. */
export function validate(method: DescMethod, message: MessageShape<DescMethod['input']>): void {
  const violations = checkMessage(method.input, message);
  if (violations.length === 0) return;
  throw refuse(RefusalCode.VALIDATION_ERROR, 'The message breaks the rules of its contract.', { violations });
}
