import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import type { AccountCalls } from '../service-calls.ts';
import type { LookUp } from './credential-cache.ts';
import { toKnownCredential } from './known-credential.ts';

/** Asks the account service about a public id. Its NOT_FOUND is an answer, every other error is passed on. */
export function lookUpCredential(account: AccountCalls): LookUp {
  return async (publicId) => {
    try {
      return toKnownCredential(await account.resolveCredential({ publicId }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}

function isNotFound(error: unknown): boolean {
  if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return true;
  return error instanceof ConnectError && error.code === Code.NotFound;
}
