import { readFileSync } from 'node:fs';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from 'jose';
import { z } from 'zod';
import { ConfigError } from '../../runtime/config/index.ts';
import { claimedRoles, isClaimPath } from '../claimed-roles/index.ts';

const JWKS_TIMEOUT_MS = 3_000;
const MAX_JWKS_BYTES = 256 * 1024;
const MAX_TOKEN_MINUTES = 24 * 60;
const MAX_LISTED = 100;
/** Minimum time between fetches of a key set, even if many tokens name unknown keys. */
const REFETCH_MS = 5_000;

const SERVICE_ROLE = /^service:[a-z][a-z-]{0,62}$/;
const ROLE = /^[a-z]{1,30}:[a-z-]{1,60}$/;
/** A role of people, or a prefix of several. */
const GIVEN_ROLE = /^(?!service:)[a-z]{1,30}:([a-z-]{1,60}|[a-z-]{0,60}\*)$/;

const subject = z.string().min(1).max(255);
const issuer = z
  .strictObject({
    issuer: z.string('is missing').min(1, 'is empty'),
    jwks: z
      .object({ keys: z.array(z.record(z.string(), z.unknown())).min(1) }, 'is not a key set')
      .optional(),
    jwksUri: z.url('is no URL').optional(),
    roleClaim: z
      .string('is no name')
      .refine(isClaimPath, 'must be a claim such as "roles" or "realm_access.roles"')
      .optional(),
    roles: z
      .array(z.string().regex(GIVEN_ROLE), 'must be a list such as ["staff:*"], without service roles')
      .max(MAX_LISTED)
      .optional(),
    services: z.record(z.string().regex(SERVICE_ROLE), z.array(subject).min(1).max(MAX_LISTED)).optional(),
    maxTokenMinutes: z
      .int(`is missing: set the maximum time from iat to exp, from 1 to ${MAX_TOKEN_MINUTES}`)
      .min(1, `is not between 1 and ${MAX_TOKEN_MINUTES}`)
      .max(MAX_TOKEN_MINUTES, `is not between 1 and ${MAX_TOKEN_MINUTES}`),
  })
  .refine(({ jwks, jwksUri }) => (jwks === undefined) !== (jwksUri === undefined), 'needs jwks or jwksUri')
  .refine(
    ({ roles, services }) => roles !== undefined || services !== undefined,
    'has no roles that it may give: add roles, such as ["staff:*"], or services, such as {"service:gateway": ["<subject>"]}',
  )
  .refine(
    ({ roles, roleClaim }) => roles === undefined || roleClaim !== undefined,
    'has roles but no roleClaim',
  );
const issuersFile = z
  .array(issuer, 'must be a list of issuers')
  .min(1, 'is empty')
  .refine((list) => new Set(list.map((entry) => entry.issuer)).size === list.length, 'has an issuer twice');

/** Reads the trusted issuers, by name. Throws a ConfigError that says what the file lacks. */
export function readIssuers(path: string): Map<string, Issuer> {
  const parsed = issuersFile.safeParse(readJson(path));
  if (!parsed.success) throw bad(parsed.error.issues.map(describe).join('; '));
  return new Map(parsed.data.map((entry) => [entry.issuer, issuerOf(entry)]));
}

export type Issuer = ReturnType<typeof issuerOf>;

function issuerOf(entry: z.infer<typeof issuer>) {
  const { jwks, jwksUri, roleClaim, roles = [], services = {}, maxTokenMinutes } = entry;
  const isPinned = (role: string, to: string) =>
    Object.hasOwn(services, role) && services[role]?.includes(to) === true;
  const mayGive = (role: string) =>
    ROLE.test(role) &&
    roles.some((given) => (given.endsWith('*') ? role.startsWith(given.slice(0, -1)) : role === given));
  return {
    keys: jwks ? createLocalJWKSet(jwks as never) : remoteKeys(new URL(jwksUri ?? '')),
    /** Maximum time from `iat` to `exp`, in seconds. */
    maxTokenS: maxTokenMinutes * 60,
    /** Reads the roles that a token claims; undefined for a malformed claim. */
    claimedRoles: roleClaim === undefined ? () => [] : claimedRoles(roleClaim),
    /** Returns the roles that the issuer may give to the subject, and those of our naming scheme that it may not. */
    rolesOf(to: string, claimed: readonly string[]) {
      // An issuer without a role claim, such as one of service accounts, gives roles by subject only.
      const candidates = roleClaim === undefined ? Object.keys(services) : claimed;
      const given = candidates.filter((role) =>
        SERVICE_ROLE.test(role) ? isPinned(role, to) : mayGive(role),
      );
      const withheld = claimed.filter((role) => /^(service|staff):/.test(role) && !given.includes(role));
      return { roles: given, withheld };
    },
  };
}

/** Refetches the set when a key is missing, but not for each of many unknown keys. */
function remoteKeys(url: URL): JWTVerifyGetKey {
  return createRemoteJWKSet(url, {
    timeoutDuration: JWKS_TIMEOUT_MS,
    cooldownDuration: REFETCH_MS,
    [customFetch]: atMostEvery(REFETCH_MS, fetchWithin(MAX_JWKS_BYTES)),
  });
}

/** The library itself waits only after a successful fetch. */
function atMostEvery(ms: number, fetch: FetchImplementation): FetchImplementation {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  return async (...request) => {
    if (performance.now() < fetchedAt + ms)
      throw new KeysNotFetched('the keys were already fetched a moment ago');
    fetchedAt = performance.now();
    return fetch(...request);
  };
}

class KeysNotFetched extends Error {
  override readonly name = 'KeysNotFetched';
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw bad('must name a readable JSON file', cause);
  }
}

function describe({ path: [index, ...path], message, ...issue }: z.core.$ZodIssue): string {
  if (typeof index !== 'number') return message;
  const unknown = issue.code === 'unrecognized_keys' ? `has unknown ${issue.keys.join(', ')}` : message;
  return [`issuer ${index + 1}`, ...(path.length > 0 ? [path.join('.')] : []), unknown].join(' ');
}

function bad(reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`bad configuration: SSS_ISSUERS_FILE ${reason}`, { cause });
}

/**
 * Fetches a response of at most `maxBytes` once decoded, whatever length or encoding its sender declares. Rejects as soon as it exceeds that.
 * The caller's signal bounds the time, including reading the body.
 */
function fetchWithin(maxBytes: number): FetchImplementation {
  return async (url, options) => {
    const answer = await fetch(url, options);
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel();
      return new Response(null, { status: answer.ok ? 204 : answer.status });
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.byteLength;
      // Leaving the loop cancels the rest.
      if (bytes > maxBytes) throw new Error(`response rejected: larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return new Response(Buffer.concat(chunks), { status: answer.status });
  };
}
