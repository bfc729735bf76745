import { Code } from '@connectrpc/connect';

/** Exit codes. Scripts rely on these numbers, and docs/staff.md lists them. */
export const exitCodes = {
  ok: 0,
  /** A defect of the command line or of a service. */
  failed: 1,
  /** The command is invalid: an unknown flag or an invalid value. */
  usage: 2,
  notFound: 3,
  /** The service refused the request because of the present state. */
  refused: 4,
  /** There is no token, it has expired, or it lacks the role. */
  notPermitted: 5,
  unavailable: 6,
  /** The action is irreversible and was not confirmed. */
  notConfirmed: 7,
  /** The action was done, but the `--wait` timeout passed. */
  stillWaiting: 8,
  /** Some items failed, or the answer to a check is negative. The output says which and why. */
  someNotDone: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command with an exit code, a message for the user, and optional further lines. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  readonly details: readonly string[];

  constructor(exitCode: ExitCode, message: string, details: readonly string[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.details = details;
  }
}

export const exitCodeOfCall: Readonly<Record<Code, ExitCode>> = {
  [Code.Canceled]: exitCodes.interrupted,
  [Code.Unknown]: exitCodes.failed,
  [Code.InvalidArgument]: exitCodes.usage,
  [Code.DeadlineExceeded]: exitCodes.unavailable,
  [Code.NotFound]: exitCodes.notFound,
  [Code.AlreadyExists]: exitCodes.refused,
  [Code.PermissionDenied]: exitCodes.notPermitted,
  [Code.ResourceExhausted]: exitCodes.unavailable,
  [Code.FailedPrecondition]: exitCodes.refused,
  [Code.Aborted]: exitCodes.refused,
  [Code.OutOfRange]: exitCodes.usage,
  [Code.Unimplemented]: exitCodes.failed,
  [Code.Internal]: exitCodes.failed,
  [Code.Unavailable]: exitCodes.unavailable,
  [Code.DataLoss]: exitCodes.failed,
  [Code.Unauthenticated]: exitCodes.notPermitted,
};
