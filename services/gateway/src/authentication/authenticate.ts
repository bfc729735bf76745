import { timingSafeEqual } from 'node:crypto';
import { type CredentialKind, hashSecret, parseCredential } from '@supplier/lib/credential';
import type { Clock } from '@supplier/lib/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { PublicError } from '../errors/public-error.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { KnownCredential } from './known-credential.ts';

/** The environments a gateway can serve. */
export type ServedEnvironment = Environment.SANDBOX | Environment.PRODUCTION;

const KIND_OF: Record<ServedEnvironment, CredentialKind> = {
  [Environment.SANDBOX]: 'test',
  [Environment.PRODUCTION]: 'live',
};

const HASH_BYTES = 32;
const NOBODYS_HASH = new Uint8Array(HASH_BYTES);

interface Dependencies {
  readonly credentialPrefix: string;
  readonly environment: ServedEnvironment;
  readonly credentials: Pick<CredentialCache, 'find'>;
  readonly clock: Clock;
}

/**
 * Finds the credential that a request carries, whose principal it is made for. Throws `unauthorized` for a credential that is
 * absent, malformed, unknown, wrong, expired, revoked or of the other environment, always with the same answer.
 * Rejects with service_unavailable when the account service cannot be asked. Implements docs/contract.md, section 4.
 */
export async function authenticate(bearer: string | undefined, deps: Dependencies): Promise<KnownCredential> {
  const parsed = bearer === undefined ? undefined : parseCredential(deps.credentialPrefix, bearer);
  if (!parsed || parsed.kind !== KIND_OF[deps.environment]) throw new PublicError('unauthorized');
  const known = await deps.credentials.find(parsed.publicId);
  // An unknown id is compared too, so that it takes as long as a known one.
  const isHolder = isSameHash(hashSecret(parsed.secret), known?.secretHash ?? NOBODYS_HASH);
  if (!known || !isHolder || known.revoked || known.environment !== deps.environment) {
    throw new PublicError('unauthorized');
  }
  if (known.expiresAt && known.expiresAt <= deps.clock.now()) throw new PublicError('unauthorized');
  return known;
}

function isSameHash(given: Uint8Array, stored: Uint8Array): boolean {
  return stored.byteLength === HASH_BYTES && timingSafeEqual(given, stored);
}
