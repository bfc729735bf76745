import { Code } from '@connectrpc/connect';

/** How the command line ends. Scripts rely on these numbers: docs/staff.md lists them. */
export const exitCodes = {
  ok: 0,
  /** A defect of the command line or of a service. */
  failed: 1,
  /** The command cannot be made: an unknown flag, a value that does not fit. */
  usage: 2,
  notFound: 3,
  /** The service will not do it: the state of things is against it. */
  refused: 4,
  /** No token, one that is over, or one without the role. */
  notPermitted: 5,
  unavailable: 6,
  /** It cannot be undone, and nobody said yes. */
  notConfirmed: 7,
  /** It was done; what `--wait` waited for has not happened within its bound. */
  stillWaiting: 8,
  /** Of several, some were not done, or what was asked about is not as it should be: the answer says which, and why. */
  someNotDone: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command with a code and one sentence for the user, and more lines where there is more to say. */
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

/** The exit code of each way in which a call fails. */
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
