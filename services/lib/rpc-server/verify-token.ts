import { readFileSync } from 'node:fs';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import { ConfigError } from '../config/index.ts';
import type { Caller } from './caller.ts';

const ALGORITHMS = ['EdDSA', 'ES256', 'RS256'];
const CLOCK_TOLERANCE_S = 5;
const MAX_CACHED = 1_000;
const CACHE_MS = 60_000;

const issuersFile = z
  .array(
    z
      .strictObject({
        issuer: z.string().min(1),
        jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1) }).optional(),
        jwksUri: z.url().optional(),
        roleClaim: z.string().min(1),
      })
      .refine(({ jwks, jwksUri }) => (jwks === undefined) !== (jwksUri === undefined)),
  )
  .min(1);

interface Issuer {
  readonly keys: JWTVerifyGetKey;
  readonly roleClaim: string;
}

export type VerifyToken = (token: string) => Promise<Caller>;

/**
 * Makes the check of a caller's token: signed by a trusted issuer, meant for `audience`, not expired. A token that
 * passed is remembered for a minute at most, never past its expiry. Throws UNAUTHENTICATED, or PERMISSION_DENIED for a
 * good token that is meant for another service.
 */
export function createTokenVerifier(path: string, audience: string): VerifyToken {
  const issuers = readIssuers(path);
  const verified = new Map<string, { caller: Caller; until: number }>();
  return async (token) => {
    const known = verified.get(token);
    if (known && known.until > Date.now()) return known.caller;
    const { caller, expiresAt } = await verify(issuers, audience, token);
    if (verified.size >= MAX_CACHED) verified.clear();
    verified.set(token, { caller, until: Math.min(expiresAt, Date.now() + CACHE_MS) });
    return caller;
  };
}

async function verify(issuers: Map<string, Issuer>, audience: string, token: string) {
  try {
    const name = decodeJwt(token).iss ?? '';
    const issuer = issuers.get(name);
    if (!issuer) throw new errors.JWTInvalid('unknown issuer');
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: name,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp', 'sub'],
    });
    const roles = z.array(z.string()).max(50).parse(payload[issuer.roleClaim]);
    return { caller: { subject: payload.sub ?? '', roles }, expiresAt: (payload.exp ?? 0) * 1000 };
  } catch (cause) {
    if (cause instanceof errors.JWTClaimValidationFailed && cause.claim === 'aud') {
      throw new ConnectError('the token is meant for another service', Code.PermissionDenied);
    }
    throw new ConnectError('a valid token is required', Code.Unauthenticated, undefined, undefined, cause);
  }
}

function readIssuers(path: string): Map<string, Issuer> {
  try {
    const entries = issuersFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return new Map(
      entries.map(({ issuer, jwks, jwksUri, roleClaim }) => [
        issuer,
        {
          roleClaim,
          keys: jwks ? createLocalJWKSet(jwks as never) : createRemoteJWKSet(new URL(jwksUri ?? '')),
        },
      ]),
    );
  } catch (cause) {
    throw new ConfigError('bad configuration: SSS_ISSUERS_FILE does not name a list of issuers', { cause });
  }
}
