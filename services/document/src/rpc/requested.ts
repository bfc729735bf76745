import type { ConnectError } from '@connectrpc/connect';
import { parseId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';

/** VALIDATION_ERROR about one field of the request. */
export function invalid(path: string, message: string): ConnectError {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The request is not valid.', {
    violations: [{ path, message }],
  });
}

/** The id in a request's field; throws VALIDATION_ERROR when it is none. */
export function requestedId<Id extends string>(path: string, text: string): Id {
  const id = parseId<Id>(text);
  if (!id) throw invalid(path, 'must be a UUID');
  return id;
}

/** The one answer for what is unknown, another supplier's, given up or deleted. */
export function notFound(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission or document.');
}
