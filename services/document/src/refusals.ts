import type { ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { StoreUnavailable } from './object-store/object-store.ts';

/** Returns a NOT_FOUND error, identical for documents that are unknown, another supplier's, expired or deleted. */
export function notFound(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission or document.');
}

/** Runs work on the store. Throws SERVICE_UNAVAILABLE, which callers may retry, while the store is unavailable. */
export async function onStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable)
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Documents cannot be stored right now. Try again later.');
    throw error;
  }
}
