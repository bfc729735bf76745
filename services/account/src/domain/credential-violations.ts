import type { Violation } from './violation.ts';

/** What a new credential asks for, and what its account permits. */
export interface CredentialWish<Scope> {
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/**
 * What speaks against issuing a credential at `now`: scopes beyond those of the account, or an end that is not in the
 * future. Empty when nothing does. Implements docs/contract.md, section 4.
 */
export function credentialViolations<Scope>(
  wish: CredentialWish<Scope>,
  permitted: readonly Scope[],
  now: Date,
): Violation[] {
  const beyond = wish.scopes.flatMap((scope, index) =>
    permitted.includes(scope)
      ? []
      : [{ path: `scopes.${index}`, message: 'is not permitted to the account' }],
  );
  const ended = wish.expiresAt !== null && wish.expiresAt.getTime() <= now.getTime();
  return ended ? [...beyond, { path: 'expires_at', message: 'must be in the future' }] : beyond;
}
