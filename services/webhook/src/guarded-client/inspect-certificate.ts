import { checkServerIdentity } from 'node:tls';
import type { AddressPolicy } from '../domain/address-policy.ts';
import { connectTcp } from './connect-tcp.ts';
import { ConnectionError } from './connection-error.ts';
import type { Target } from './open-connection.ts';
import { startTlsUnverified, type Trust } from './start-tls.ts';

/** What a receiver's certificate says, whether it is trusted or not. */
export interface CertificateFacts {
  /** Names in one line each, cut to a bounded length. */
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly tlsVersion: string;
  /** The code of what verifying it found wrong first; undefined when it is trusted. */
  readonly mistrust: string | undefined;
  /** Whether it is for the host that was asked for. */
  readonly namesHost: boolean;
}

const MAXIMUM_NAME_LENGTH = 500;

/**
 * Reads the certificate of `target` at exactly `address`, and ends the connection without having sent anything over it:
 * who is at the other end has not been verified. Rejects when the policy does not admit the address, when no TLS
 * session comes about, and once `signal` is aborted.
 */
export async function inspectCertificate(
  target: Target,
  address: string,
  parts: { readonly policy: AddressPolicy; readonly secureContext: Trust },
  signal: AbortSignal,
): Promise<CertificateFacts> {
  if (!parts.policy.admits(address)) throw new ConnectionError('address_refused', address);
  const { socket: tcp } = await connectTcp([address], target.port, signal);
  const socket = await startTlsUnverified(tcp, target.host, parts.secureContext, signal);
  try {
    const certificate = socket.getPeerX509Certificate();
    if (!certificate) throw new ConnectionError('tls', address);
    return {
      subject: oneLine(certificate.subject),
      issuer: oneLine(certificate.issuer),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate,
      tlsVersion: socket.getProtocol() ?? 'unknown',
      mistrust: socket.authorized ? undefined : String(socket.authorizationError),
      namesHost: checkServerIdentity(target.host, certificate.toLegacyObject()) === undefined,
    };
  } finally {
    socket.destroy();
  }
}

/** A certificate that nobody vouches for may say anything. */
function oneLine(name: string | undefined): string {
  return (name ?? '')
    .trim()
    .replace(/\p{Cc}+/gu, ', ')
    .slice(0, MAXIMUM_NAME_LENGTH);
}
