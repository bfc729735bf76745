import type { DescMethod } from '@bufbuild/protobuf';
import { getOption } from '@bufbuild/protobuf';
import { Code, type ConnectError } from '@connectrpc/connect';
import { visible } from '@supplier/lib/text/visible';
import { access } from '@supplier/proto/common/v1/options';
import { RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { CommandFailure, exitCodeOfCall, exitCodes } from '../exit-codes.ts';
import { type ConnectionFailure, connectionFailure } from './connection-failure.ts';

export interface FailedCall {
  readonly method: DescMethod;
  readonly service: string;
  readonly address: string;
  /** The last message of the process that forwards the connection. */
  readonly kubectlError?: string | undefined;
  readonly requestId: string;
  readonly labelOf?: ((path: string) => string | undefined) | undefined;
}

const STAFF = 'staff:';

/** Explains a failed call: what failed, which flags are invalid, and what to do. */
export function explainFailure(error: ConnectError, call: FailedCall, interrupted: boolean): CommandFailure {
  if (interrupted) return new CommandFailure(exitCodes.interrupted, 'interrupted');
  const fault = connectionFailure(error);
  if (fault) return notConnected(error, call, fault);
  const [refusal] = error.findDetails(RefusalSchema);
  const details = [
    ...(refusal?.violations ?? []).map(
      ({ path, message }) => `${call.labelOf?.(path) ?? visible(path)}: ${visible(message)}`,
    ),
    ...(refusal?.currentRevision === undefined ? [] : [`the current revision is ${refusal.currentRevision}`]),
    ...hintsFor(error.code, refusal?.code, call),
    `request ${call.requestId}`,
  ];
  const code = refusal ? ` (${RefusalCode[refusal.code]?.toLowerCase()})` : '';
  return new CommandFailure(exitCodeOfCall[error.code], `${messageFor(error, call)}${code}`, details);
}

/** Applies to any call, because no service has rejected it. */
function notConnected(
  { rawMessage }: ConnectError,
  { service, address, kubectlError, requestId }: FailedCall,
  { hint }: ConnectionFailure,
): CommandFailure {
  return new CommandFailure(
    exitCodes.unavailable,
    `the ${service} service at ${address} is not available: ${visible(rawMessage)}`,
    [
      ...(hint === undefined ? [] : [hint]),
      ...(kubectlError === undefined ? [] : [`kubectl: ${visible(kubectlError)}`]),
      `request ${requestId}`,
    ],
  );
}

function messageFor({ code, rawMessage }: ConnectError, { service, address }: FailedCall): string {
  const reason = visible(rawMessage);
  switch (code) {
    case Code.Unavailable:
      return `the ${service} service at ${address} is not available: ${reason}`;
    case Code.DeadlineExceeded:
      return `the ${service} service at ${address} did not respond in time`;
    case Code.Unauthenticated:
      return `the ${service} service rejected the token: ${reason}`;
    case Code.PermissionDenied:
      return `the ${service} service does not permit this: ${reason}`;
    case Code.Unimplemented:
      return `the ${service} service is older than sss and does not support this command`;
    case Code.Internal:
    case Code.Unknown:
    case Code.DataLoss:
      return `the ${service} service failed: ${reason}`;
    case Code.Canceled:
    case Code.InvalidArgument:
    case Code.NotFound:
    case Code.AlreadyExists:
    case Code.ResourceExhausted:
    case Code.FailedPrecondition:
    case Code.Aborted:
    case Code.OutOfRange:
      return reason;
  }
}

function hintsFor(code: Code, refusal: RefusalCode | undefined, { method }: FailedCall): string[] {
  if (code === Code.Unauthenticated)
    return ['run `sss login` to get a new token, or `sss whoami` to check the present one'];
  if (code === Code.PermissionDenied) {
    const roles = getOption(method, access).roles.filter((role) => role.startsWith(STAFF));
    return [`it requires one of these roles: ${roles.join(', ')} (\`sss whoami\` shows yours)`];
  }
  if (refusal === RefusalCode.REVISION_CONFLICT)
    return ['someone else changed it in the meantime: run the command again'];
  return [];
}
