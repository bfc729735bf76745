import type { KeyRing } from '@supplier/lib/data/crypto';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { MatchFields, MatchKeys, MatchRule } from './match-keys.ts';
import { simulationOf } from './sandbox-simulation.ts';

/** The dependencies for making and hashing match keys. */
export interface Matching {
  readonly keyRing: KeyRing;
  readonly matchRule: MatchRule;
}

/** Keyed digests of a customer's match keys; null if no identifying value was given. */
export interface MatchHashes {
  readonly companyHash: Uint8Array<ArrayBuffer> | null;
  readonly telephoneHash: Uint8Array<ArrayBuffer> | null;
  readonly emailHash: Uint8Array<ArrayBuffer> | null;
}

/** The stored hashes, made with the primary digest key, and those made with the other keys of the ring. */
export interface AllMatchHashes extends MatchHashes {
  /** Used to find the customer's submissions stored with another key. Empty except during a key rotation. */
  readonly hashesUnderOtherKeys: readonly MatchHashes[];
}

export const NO_HASHES: AllMatchHashes = {
  companyHash: null,
  telephoneHash: null,
  emailHash: null,
  hashesUnderOtherKeys: [],
};

/** Returns the hashes for comparing an enquiry with others. Sandbox simulations are never matched. */
export function enquiryHashes(
  matching: Matching,
  environment: Environment,
  enquiry: Enquiry,
): AllMatchHashes {
  return simulationOf(environment, enquiry.businessName) ? NO_HASHES : statedHashes(matching, enquiry);
}

/** Returns the hashes of match fields as a customer sent them, including sandbox simulations. */
export function statedHashes({ keyRing, matchRule }: Matching, fields: MatchFields): AllMatchHashes {
  return matchHashes(keyRing, matchRule.keysOf(fields));
}

export function hasHash({ companyHash, telephoneHash, emailHash }: MatchHashes): boolean {
  return companyHash !== null || telephoneHash !== null || emailHash !== null;
}

/** Returns the hashes of one customer with each digest key of the ring. */
function matchHashes(ring: KeyRing, { company, telephone, email }: MatchKeys): AllMatchHashes {
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
