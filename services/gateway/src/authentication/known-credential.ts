import { create } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/text/ids';
import { parseId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { AccountState, type ResolveCredentialResponse } from '@supplier/proto/account/v1/account';
import { type Principal, PrincipalSchema, Scope } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { AccountLimits } from '../limits/limit.ts';

/** An issued credential and its permissions, as last returned by the account service. */
export interface KnownCredential {
  readonly accountId: AccountId;
  readonly environment: Environment;
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
  readonly revoked: boolean;
  readonly expiresAt: Date | undefined;
  /** Whether the account is suspended; it then permits nothing. */
  readonly suspended: boolean;
  /** The principal of calls; its scopes are the intersection of the account's and the credential's. */
  readonly principal: Principal;
  /** The account's own limits, which replace the defaults. */
  readonly limits: AccountLimits;
  /** Milliseconds after the lookup for which the terms are known to hold; undefined when no others are scheduled. */
  readonly termsHoldForMs: number | undefined;
}

/** Converts the account service's response. Throws when required fields are missing. */
export function toKnownCredential({
  credential,
  account,
  secretHash,
  termsHoldForMs,
}: ResolveCredentialResponse): KnownCredential {
  const accountId = parseId<AccountId>(account?.accountId ?? '');
  if (!credential || !account || !accountId)
    throw new Error('invariant violated: credential or account missing in the response');
  return {
    accountId,
    environment: credential.environment,
    secretHash,
    revoked: credential.revokedAt !== undefined,
    expiresAt: credential.expiresAt && toDate(credential.expiresAt),
    suspended: account.state === AccountState.SUSPENDED,
    principal: create(PrincipalSchema, {
      accountId,
      credentialId: credential.credentialId,
      environment: credential.environment,
      scopes: effectiveScopes(account.state, account.permittedScopes, credential.scopes),
      ...(account.terms ? { terms: account.terms } : {}),
    }),
    limits: {
      writesPerMinute: account.limits?.writesPerMinute,
      readsPerMinute: account.limits?.readsPerMinute,
    },
    termsHoldForMs: termsHoldForMs === undefined ? undefined : Number(termsHoldForMs),
  };
}

/**
 * Returns the intersection of the account's and the credential's scopes. A suspended account permits nothing: its
 * credentials stay valid but have no scopes.
 */
function effectiveScopes(state: AccountState, permitted: Scope[], granted: Scope[]): Scope[] {
  if (state !== AccountState.ACTIVE) return [];
  return granted.filter((scope) => scope !== Scope.UNSPECIFIED && permitted.includes(scope));
}
