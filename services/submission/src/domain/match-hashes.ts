import type { KeyRing } from '@supplier/lib/crypto';
import type { MatchKeys } from './match-keys.ts';

/** Keyed digests of a customer's match keys; null where nothing was given. */
export interface MatchHashes {
  readonly companyHash: Uint8Array<ArrayBuffer> | null;
  readonly telephoneHash: Uint8Array<ArrayBuffer> | null;
  readonly emailHash: Uint8Array<ArrayBuffer> | null;
}

/** The hashes under the primary digest key, which are stored, and those under the other keys of the ring. */
export interface AllMatchHashes extends MatchHashes {
  /** By these the customer's submissions are found that were stored under another key. Empty but while keys change. */
  readonly hashesUnderOtherKeys: readonly MatchHashes[];
}

export const NO_HASHES: AllMatchHashes = {
  companyHash: null,
  telephoneHash: null,
  emailHash: null,
  hashesUnderOtherKeys: [],
};

/** Makes the hashes of one customer under each digest key of the ring. */
export function matchHashes(ring: KeyRing, { company, telephone, email }: MatchKeys): AllMatchHashes {
  const companies = digests(ring, 'company', company);
  const telephones = digests(ring, 'telephone', telephone);
  const emails = digests(ring, 'email', email);
  const hashesOf = (index: number): MatchHashes => ({
    companyHash: companies[index] ?? null,
    telephoneHash: telephones[index] ?? null,
    emailHash: emails[index] ?? null,
  });
  const others = Math.max(companies.length, telephones.length, emails.length, 1) - 1;
  return {
    ...hashesOf(0),
    hashesUnderOtherKeys: Array.from({ length: others }, (_, index) => hashesOf(index + 1)),
  };
}

function digests(ring: KeyRing, purpose: string, key: string | undefined): Uint8Array<ArrayBuffer>[] {
  return key === undefined ? [] : ring.digests(`match/${purpose}`, key);
}
