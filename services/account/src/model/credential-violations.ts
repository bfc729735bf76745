import type { Violation } from './violations.ts';

/** The part of a requested credential that its account limits. */
export interface RequestedCredential<Scope> {
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/**
 * Why a credential cannot be issued at `now`: scopes beyond those of the account, or an expiry that is not in the
 * future. Empty when it can. Implements docs/contract.md, section 4.
 */
export function credentialViolations<Scope>(
  requested: RequestedCredential<Scope>,
  permitted: readonly Scope[],
  now: Date,
): Violation[] {
  const beyond = requested.scopes.flatMap((scope, index) =>
    permitted.includes(scope)
      ? []
      : [{ path: `scopes.${index}`, message: 'is not permitted to the account' }],
  );
  const ended = requested.expiresAt !== null && requested.expiresAt.getTime() <= now.getTime();
  return ended ? [...beyond, { path: 'expires_at', message: 'must be in the future' }] : beyond;
}
