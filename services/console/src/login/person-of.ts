import { claimedRoles } from '@supplier/lib/rpc/claimed-roles';
import { decodeJwt } from 'jose';
import type { Person } from '../sessions/sessions.ts';

const STAFF = /^staff:[a-z-]{1,60}$/;

/**
 * Reads who an access token is for, as it says itself: good enough to show what somebody may do, since services check the
 * token with each call. `roleClaim` is the path of the claim with the roles. Throws for a token that is no JWT, or is for
 * nobody.
 */
export function personReader(roleClaim: string): (accessToken: string) => Person {
  const rolesOf = claimedRoles(roleClaim);
  return (accessToken) => {
    const claims = decodeJwt(accessToken);
    const { sub } = claims;
    if (sub === undefined || sub === '') throw new Error('cannot log in: the access token has no subject');
    // Services refuse a token whose roles cannot be read.
    return { subject: sub, roles: rolesOf(claims)?.filter((role) => STAFF.test(role)) ?? [] };
  };
}
