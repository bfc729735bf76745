import type { CertificateFacts, PostResult } from '../guarded-client/index.ts';

const EXPIRY_WARNING_DAYS = 30;
const SLOW_MS = 5_000;
const DAY_MS = 86_400_000;

/** The observations of a preflight. */
export interface Sight {
  readonly addresses: readonly { readonly address: string; readonly admitted: boolean }[];
  readonly certificate: (CertificateFacts & { readonly fault: string }) | undefined;
  readonly ping: PostResult & { readonly startedAt: Date; readonly endedAt: Date };
}

/** Returns what prevents the delivery of events, and further hints, each as a sentence for staff. */
export function findingsOf({ addresses, certificate, ping }: Sight): string[] {
  return [
    ...addresses.filter(({ admitted }) => !admitted).map(({ address }) => refusedAddress(address)),
    ...pingFindings(ping, certificate),
    ...(ping.asksForCertificate && ping.error !== undefined ? [CLIENT_CERTIFICATE] : []),
    ...(certificate ? certificateFindings(certificate, ping.endedAt) : []),
    ...slowness(ping),
  ];
}

/** Returns why nothing is sent to the address. */
export function refusedAddress(address: string): string {
  return `Events cannot be sent to ${address}, because it is not a public address.`;
}

const CLIENT_CERTIFICATE =
  'The receiver asks for a client certificate, which we never present. It must not require one at this URL.';

function pingFindings(ping: PostResult, certificate: Sight['certificate']): string[] {
  switch (ping.error) {
    case undefined:
      return certificate ? [] : ['The certificate could not be read, because a second connection failed.'];
    case 'dns':
      return ['The host name does not resolve to any address.'];
    // Each refused address has its own finding, and so does a certificate fault.
    case 'address_refused':
      return [];
    case 'tls':
      return certificate?.fault || ping.asksForCertificate
        ? []
        : ['No TLS connection with version 1.2 or later could be established.'];
    case 'connect':
      return ['The receiver did not accept a TCP connection.'];
    case 'timeout':
      return ['The receiver did not respond in time.'];
    case 'reset':
      return ping.asksForCertificate
        ? []
        : ['The receiver closed the connection, or its response was not HTTP/1.1.'];
    case 'interrupted':
      return ['The ping was interrupted.'];
    case 'status':
      return [statusFinding(ping.statusCode)];
    default:
      return ping.error satisfies never;
  }
}

function statusFinding(statusCode: number | undefined): string {
  return statusCode !== undefined && statusCode >= 300 && statusCode <= 399
    ? `The receiver responded with a redirect (${statusCode}). Redirects are not followed and count as failures.`
    : `The receiver responded with status ${statusCode} instead of 2xx.`;
}

function certificateFindings(certificate: NonNullable<Sight['certificate']>, now: Date): string[] {
  if (certificate.fault !== '') return [`The certificate ${certificate.fault}.`];
  const days = Math.floor((certificate.notAfter.getTime() - now.getTime()) / DAY_MS) + 1;
  if (days > EXPIRY_WARNING_DAYS) return [];
  return [`The certificate expires in less than ${days} ${days === 1 ? 'day' : 'days'}.`];
}

function slowness({ error, startedAt, endedAt }: Sight['ping']): string[] {
  const ms = endedAt.getTime() - startedAt.getTime();
  if (ms <= SLOW_MS || error === 'timeout') return [];
  return [`The ping took ${(ms / 1_000).toFixed(1)} seconds. Attempts time out after ten.`];
}

const EXPIRED = 'has expired';
const NOT_YET = 'is not valid yet';
const OTHER_HOST = 'is for a different host';
const SELF_SIGNED = 'is self-signed';
const UNKNOWN_AUTHORITY = 'is not from a trusted authority, or lacks the intermediate certificates';

/** The meaning of verification error codes. */
const MEANINGS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: NOT_YET,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: 'has a chain that ends in an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: 'has an invalid signature',
  CERT_REVOKED: 'has been revoked',
};

/**
 * Describes every fault of a certificate at `now`, to follow "The certificate"; empty when it is trusted. Verification
 * stops at the first fault; this function does not.
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
