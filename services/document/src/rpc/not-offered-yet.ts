import { Code, ConnectError } from '@connectrpc/connect';

/** UNIMPLEMENTED: the contract names it, this build does not do it. Nothing is stored. */
export function notOfferedYet(what: string): ConnectError {
  return new ConnectError(
    `${what} are not offered by this build of the document service.`,
    Code.Unimplemented,
  );
}
