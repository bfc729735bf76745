import { create } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/text/ids';
import { parseId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { AccountState, type ResolveCredentialResponse } from '@supplier/proto/account/v1/account';
import { type Principal, PrincipalSchema, Scope } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { AccountLimits } from '../limits/limit.ts';

/** A credential that was issued, and what it may do, as the account service last answered. */
export interface KnownCredential {
  readonly accountId: AccountId;
  readonly environment: Environment;
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
  readonly revoked: boolean;
  readonly expiresAt: Date | undefined;
  /** Of the account, which then permits nothing. */
  readonly suspended: boolean;
  /** For whom calls are made; its scopes are those of account and credential alike. */
  readonly principal: Principal;
  /** What the account has of its own in place of the usual limits. */
  readonly limits: AccountLimits;
  /** For so long after the question its terms are known to hold; undefined while no others are scheduled. */
  readonly termsHoldForMs: number | undefined;
}

/** Reads the account service's answer. Throws when it lacks what every credential has. */
export function toKnownCredential({
  credential,
  account,
  secretHash,
  termsHoldForMs,
}: ResolveCredentialResponse): KnownCredential {
  const accountId = parseId<AccountId>(account?.accountId ?? '');
  if (!credential || !account || !accountId)
    throw new Error('invariant violated: credential or account missing in the answer');
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

/** Account ∩ credential. A suspended account permits nothing, so that its credentials are valid and may do nothing. */
function effectiveScopes(state: AccountState, permitted: Scope[], granted: Scope[]): Scope[] {
  if (state !== AccountState.ACTIVE) return [];
  return granted.filter((scope) => scope !== Scope.UNSPECIFIED && permitted.includes(scope));
}
