import { decodeJwt, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Caller } from './caller.ts';
import { type Issuer, readIssuers } from './issuers-file.ts';

const ALGORITHMS = ['EdDSA', 'ES256', 'RS256'];
const CLOCK_TOLERANCE_S = 5;
const MAX_CACHED = 1_000;
const CACHE_MS = 60_000;
const MAX_ROLES = 200;

/** It names people and services in logs and audit entries: one line that is not blank. */
const SUBJECT = /^(?=.*\S)\P{C}{1,255}$/u;

/** Why a token is rejected. */
export interface TokenFault {
  readonly reason: 'bad_token' | 'other_audience';
  /** For the log: a kind of fault, and nothing from the token. */
  readonly why: string;
}

export type VerifyToken = (token: string) => Promise<Caller | TokenFault>;

/** Roles that a token claims but its issuer may not give. */
export interface WithheldRoles {
  readonly issuer: string;
  readonly subject: string;
  readonly roles: readonly string[];
}

/**
 * Makes the check of a caller's token: signed by a trusted issuer, meant for `audience`, with a subject, issued in the
 * past, not expired and valid for no longer than its issuer may give. The caller gets only the roles that the issuer
 * may give; `onWithheld` gets the others. A token that passed is remembered for a minute at most, never past its
 * expiry. Throws a ConfigError for an issuers file that cannot be used.
 */
export function createTokenVerifier(
  path: string,
  audience: string,
  onWithheld: (withheld: WithheldRoles) => void,
): VerifyToken {
  const issuers = readIssuers(path);
  const verified = new Map<string, { caller: Caller; until: number }>();
  return async (token) => {
    const known = verified.get(token);
    if (known && known.until > Date.now()) return known.caller;
    try {
      const caller = await verify(issuers, audience, token, onWithheld);
      if (verified.size >= MAX_CACHED) verified.clear();
      verified.set(token, { caller, until: Math.min(caller.tokenEndsAt, Date.now() + CACHE_MS) });
      return caller;
    } catch (error) {
      return faultOf(error);
    }
  };
}

async function verify(
  issuers: Map<string, Issuer>,
  audience: string,
  token: string,
  onWithheld: (withheld: WithheldRoles) => void,
): Promise<Caller> {
  const name = decodeJwt(token).iss ?? '';
  const issuer = issuers.get(name);
  if (!issuer) throw new UntrustedClaim('unknown issuer');
  const { payload } = await jwtVerify(token, issuer.keys, {
    issuer: name,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    requiredClaims: ['exp', 'iat', 'sub'],
  });
  const { iat = Number.NaN, exp = Number.NaN, sub } = payload;
  if (!(iat <= Date.now() / 1000 + CLOCK_TOLERANCE_S)) throw new UntrustedClaim('issued in the future');
  if (!(exp - iat <= issuer.maxTokenS)) throw new UntrustedClaim('longer than its issuer may give');
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) throw new UntrustedClaim('subject');
  const claimed = issuer.roleClaim === undefined ? [] : claimedRoles(payload[issuer.roleClaim]);
  const { roles, withheld } = issuer.rolesOf(sub, claimed);
  if (withheld.length > 0) onWithheld({ issuer: name, subject: sub, roles: withheld });
  return { subject: sub, issuer: name, roles, tokenEndsAt: exp * 1000 };
}

function claimedRoles(claim: unknown): string[] {
  const claimed = z.array(z.string()).max(MAX_ROLES).safeParse(claim);
  if (!claimed.success) throw new UntrustedClaim('roles');
  return claimed.data;
}

/** A claim that fails our own checks; the message is ours. */
class UntrustedClaim extends Error {}

/** A key set that cannot be fetched is not a fault of the token, but without it nobody can be admitted. */
function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return { reason: 'other_audience', why: 'audience' };
  }
  if (error instanceof UntrustedClaim) return { reason: 'bad_token', why: error.message };
  if (error instanceof errors.JOSEError) return { reason: 'bad_token', why: error.code };
  return { reason: 'bad_token', why: error instanceof Error ? error.name : 'unknown' };
}
