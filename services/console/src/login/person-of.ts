import { decodeJwt } from 'jose';
import type { Person } from '../sessions/sessions.ts';

const STAFF = /^staff:[a-z-]{1,60}$/;

/**
 * Who an access token is for, as it says itself: good enough to show what somebody may do, since services check the token
 * with each call. Throws for a token that is no JWT, or is for nobody.
 */
export function personOf(accessToken: string, roleClaim: string): Person {
  const claims = decodeJwt(accessToken);
  const { sub } = claims;
  if (sub === undefined || sub === '') throw new Error('cannot log in: the access token has no subject');
  const claimed: unknown = claims[roleClaim];
  const roles = Array.isArray(claimed) ? claimed : [claimed];
  return {
    subject: sub,
    roles: roles.filter((role): role is string => typeof role === 'string' && STAFF.test(role)),
  };
}
