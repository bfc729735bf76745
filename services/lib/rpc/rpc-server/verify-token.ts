import { decodeJwt, errors, jwtVerify } from 'jose';
import { BoundedCache } from './bounded-cache.ts';
import type { Caller } from './caller.ts';
import { readIssuers } from './issuers-file.ts';

const ALGORITHMS = ['EdDSA', 'ES256', 'RS256'];
const MAX_TOKEN_CHARACTERS = 16 * 1024;
const MAX_CACHE_BYTES = 4 * 1024 * 1024;
const CACHE_MS = 60_000;
const OBJECTS_BYTES = 512;
const ROLE_BYTES = 32;
const CHARACTER_BYTES = 2;

/** The subject names people and services in logs and audit entries, so it must be one line that is not blank. */
const SUBJECT = /^(?=.*\S)\P{C}{1,255}$/u;

export interface TokenFault {
  readonly reason: 'bad_token' | 'other_audience';
  /** For the log: a kind of fault, with nothing from the token. */
  readonly why: string;
}

export type VerifyToken = (token: string) => Promise<Caller | TokenFault>;

/** Roles that a token claims but its issuer may not give. */
export interface WithheldRoles {
  readonly issuer: string;
  readonly subject: string;
  readonly roles: readonly string[];
}

interface Verified {
  readonly caller: Caller;
  readonly until: number;
}

/**
 * Creates the check of tokens: signed by a trusted issuer for `audience`, current, and no longer than the issuer may
 * give. `onWithheld` gets roles that it may not give. Caches a token for at most a minute. Throws a ConfigError for an
 * unusable issuers file.
 */
export function createTokenVerifier(
  path: string,
  audience: string,
  onWithheld: (withheld: WithheldRoles) => void,
  clockToleranceS: number,
): VerifyToken & { readonly remembered: BoundedCache<Verified> } {
  const issuers = readIssuers(path);
  const remembered = new BoundedCache<Verified>({ maxBytes: MAX_CACHE_BYTES, sizeOf });
  const verifyToken: VerifyToken = async (token) => {
    if (token.length > MAX_TOKEN_CHARACTERS) return { reason: 'bad_token', why: 'too long' };
    const known = remembered.get(token);
    if (known && known.until > Date.now()) return known.caller;
    try {
      const caller = await verify(token);
      remembered.set(token, { caller, until: Math.min(caller.tokenEndsAt, Date.now() + CACHE_MS) });
      return caller;
    } catch (error) {
      return faultOf(error);
    }
  };
  return Object.assign(verifyToken, { remembered });

  async function verify(token: string): Promise<Caller> {
    const name = decodeJwt(token).iss ?? '';
    const issuer = issuers.get(name);
    if (!issuer) throw new UntrustedClaim('unknown issuer');
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: name,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: clockToleranceS,
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    const { iat = Number.NaN, exp = Number.NaN, sub } = payload;
    if (!(iat <= Date.now() / 1000 + clockToleranceS)) throw new UntrustedClaim('issued in the future');
    if (!(exp - iat <= issuer.maxTokenS))
      throw new UntrustedClaim('lifetime longer than permitted to its issuer');
    if (typeof sub !== 'string' || !SUBJECT.test(sub)) throw new UntrustedClaim('subject');
    const claimed = issuer.claimedRoles(payload);
    if (!claimed) throw new UntrustedClaim('roles');
    const { roles, withheld } = issuer.rolesOf(sub, claimed);
    if (withheld.length > 0) onWithheld({ issuer: name, subject: sub, roles: withheld });
    return { subject: sub, issuer: name, roles, tokenEndsAt: exp * 1000 };
  }
}

function sizeOf({ caller: { subject, roles } }: Verified): number {
  const characters = roles.reduce((sum, role) => sum + role.length, subject.length);
  return OBJECTS_BYTES + ROLE_BYTES * roles.length + CHARACTER_BYTES * characters;
}

class UntrustedClaim extends Error {}

/** Classifies an error. Without its issuer's keys, no token can be verified. */
function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return { reason: 'other_audience', why: 'audience' };
  }
  if (error instanceof UntrustedClaim) return { reason: 'bad_token', why: error.message };
  if (error instanceof errors.JOSEError) return { reason: 'bad_token', why: error.code };
  return { reason: 'bad_token', why: error instanceof Error ? error.name : 'unknown' };
}
