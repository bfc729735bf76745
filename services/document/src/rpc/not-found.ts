import type { ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/refusal';

/** The one answer for what is unknown, another supplier's, given up or deleted. */
export function notFound(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission or document.');
}
