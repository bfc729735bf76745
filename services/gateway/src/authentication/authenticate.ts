import { timingSafeEqual } from 'node:crypto';
import { type CredentialKind, hashSecret, parseCredential } from '@supplier/lib/rpc/credential';
import type { Clock } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import type { FailureReason } from '../metrics.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { KnownCredential } from './known-credential.ts';

/** Environments that a gateway can serve. */
export type ServedEnvironment = Environment.SANDBOX | Environment.PRODUCTION;

const KIND_OF: Record<ServedEnvironment, CredentialKind> = {
  [Environment.SANDBOX]: 'test',
  [Environment.PRODUCTION]: 'live',
};

const HASH_BYTES = 32;
const DUMMY_HASH = new Uint8Array(HASH_BYTES);

/**
 * The credential of a request, or why authentication failed. The public id is only claimed by the sender and can be
 * forged.
 */
export type Authentication =
  | { readonly publicId: string; readonly credential: KnownCredential }
  | { readonly publicId?: string | undefined; readonly failure: FailureReason };

interface Dependencies {
  readonly credentialPrefix: string;
  readonly environment: ServedEnvironment;
  readonly credentials: Pick<CredentialCache, 'find' | 'knows' | 'dummyLookup'>;
  readonly clock: Clock;
}

/**
 * Authenticates the credential of a request. Every failure of a credential that was sent takes one call to the account
 * service, so that timing does not reveal which ids were issued or are in use. Rejects with service_unavailable when
 * the account service cannot be reached. Implements docs/contract.md, section 4.
 */
export async function authenticate(
  bearer: string | undefined,
  { credentialPrefix, environment, credentials, clock }: Dependencies,
): Promise<Authentication> {
  if (bearer === undefined) return { failure: 'absent' };
  const parsed = parseCredential(credentialPrefix, bearer);
  if (!parsed || parsed.kind !== KIND_OF[environment]) {
    // Takes the same steps as for a credential that can be compared.
    isSameHash(hashSecret(bearer), DUMMY_HASH);
    await credentials.dummyLookup();
    return { publicId: parsed?.publicId, failure: parsed ? 'other environment' : 'malformed' };
  }
  const { publicId, secret } = parsed;
  const isKnown = credentials.knows(publicId);
  const known = await credentials.find(publicId);
  // Compares an unknown id too, so that it takes as long as a known one.
  const isHolder = isSameHash(hashSecret(secret), known?.secretHash ?? DUMMY_HASH);
  const failure = failureOf(known, isHolder, environment, clock);
  if (known && !failure) return { publicId, credential: known };
  if (isKnown) await credentials.dummyLookup();
  return { publicId, failure: failure ?? 'unknown' };
}

function failureOf(
  known: KnownCredential | undefined,
  isHolder: boolean,
  environment: ServedEnvironment,
  clock: Clock,
): FailureReason | undefined {
  if (!known) return 'unknown';
  if (!isHolder) return 'wrong secret';
  if (known.environment !== environment) return 'other environment';
  if (known.revoked) return 'revoked';
  return known.expiresAt && known.expiresAt <= clock.now() ? 'expired' : undefined;
}

function isSameHash(given: Uint8Array, stored: Uint8Array): boolean {
  return stored.byteLength === HASH_BYTES && timingSafeEqual(given, stored);
}
