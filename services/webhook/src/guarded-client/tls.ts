import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { AddressPolicy } from '../model/address-policy.ts';
import { ConnectionError, connectTcp, type Target } from './tcp.ts';

/** The certificates that are trusted. */
export type Trust = SecureContext;

/**
 * The authorities that receivers' certificates are checked against: the built-in ones and, when given, those of
 * `extraCa` (PEM).
 */
export function trust(extraCa: string | undefined): Trust {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ca: [...getCACertificates('default'), ...(extraCa === undefined ? [] : [extraCa])],
  });
}

/**
 * Secures a connected socket as a client of `host`, which is sent as SNI (names only, as the standard requires) and
 * which the certificate must be for. Rejects when the handshake fails, the certificate is not trusted, or `signal` is
 * aborted.
 */
export function startTls(
  tcp: Socket,
  host: string,
  secureContext: Trust,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return shakeHands(tcp, host, secureContext, true, signal);
}

/**
 * The same with any certificate, only to inspect that certificate. Nothing may be sent over it, and nothing received
 * over it trusted.
 */
export function startTlsUnverified(
  tcp: Socket,
  host: string,
  secureContext: Trust,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return shakeHands(tcp, host, secureContext, false, signal);
}

async function shakeHands(
  tcp: Socket,
  host: string,
  secureContext: Trust,
  rejectUnauthorized: boolean,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connect({
    socket: tcp,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized,
  });
  // Until the next owner of the socket listens for errors, an error must not end the process.
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

/** The content of a receiver's certificate, trusted or not. */
export interface CertificateFacts {
  /** Names in one line each, truncated to a bounded length. */
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly tlsVersion: string;
  /** The code of the first verification error; undefined when it is trusted. */
  readonly mistrust: string | undefined;
  /** Whether it is for the requested host. */
  readonly namesHost: boolean;
}

const MAXIMUM_NAME_LENGTH = 500;

/**
 * Reads the certificate of `target` at exactly `address`, and ends the connection without having sent anything over it,
 * since the other end is not verified. Rejects when the policy does not admit the address, when no TLS session can be
 * set up, and once `signal` is aborted.
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

/** An untrusted certificate may contain any text. */
function oneLine(name: string | undefined): string {
  return (name ?? '')
    .trim()
    .replace(/\p{Cc}+/gu, ', ')
    .slice(0, MAXIMUM_NAME_LENGTH);
}
