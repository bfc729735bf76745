import type { CertificateFacts } from '../guarded-client/index.ts';

const EXPIRED = 'has expired';
const NOT_YET = 'is not valid yet';
const OTHER_HOST = 'is not for this host';
const SELF_SIGNED = 'is signed by itself and by no trusted authority';
const UNKNOWN_AUTHORITY = 'comes from no trusted authority, or without the certificates between the two';

/** What the codes of a failed verification mean. */
const MEANINGS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: NOT_YET,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: 'was not signed by the authority it names',
  CERT_REVOKED: 'has been revoked',
};

/**
 * Everything that is wrong with a certificate at `now`, to follow "The certificate"; empty when it is trusted.
 * Verifying stops at the first fault; this does not.
 */
export function certificateFault(
  facts: Pick<CertificateFacts, 'mistrust' | 'namesHost' | 'notBefore' | 'notAfter'>,
  now: Date,
): string {
  const faults = new Set<string>();
  if (facts.mistrust !== undefined) {
    faults.add(MEANINGS[facts.mistrust] ?? `is not trusted (${facts.mistrust})`);
  }
  if (facts.notAfter < now) faults.add(EXPIRED);
  if (facts.notBefore > now) faults.add(NOT_YET);
  if (!facts.namesHost) faults.add(OTHER_HOST);
  return [...faults].join(', and ');
}
