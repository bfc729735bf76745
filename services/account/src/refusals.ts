import type { ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { parseId } from '@supplier/lib/text/ids';
import type { Violation } from './model/violations.ts';

/** VALIDATION_ERROR with all violations of the request. */
export function invalid(violations: readonly Violation[]): ConnectError {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The request is not consistent.', {
    violations: violations.map(({ path, message }) => ({ path, message })),
  });
}

/** NOT_FOUND for an account. */
export function unknownAccount(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
}

/** NOT_FOUND for a credential, by either of its ids. */
export function unknownCredential(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such credential.');
}

/** REVISION_CONFLICT: the account has changed since the caller read it. */
export function staleRevision(currentRevision: bigint): ConnectError {
  return refuse(RefusalCode.REVISION_CONFLICT, 'The account has changed since that revision.', {
    currentRevision,
  });
}

/** The id in a request's field; throws VALIDATION_ERROR when it is malformed. */
export function idFrom<Id extends string>(path: string, text: string): Id {
  const id = parseId<Id>(text);
  if (!id) throw invalid([{ path, message: 'must be a UUID' }]);
  return id;
}
