import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import {
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';

/** The certificates that are trusted. */
export type Trust = SecureContext;

/** The certificates that receivers are trusted by: the built-in ones and, when given, those of `extraCa` (PEM). */
export function trust(extraCa: string | undefined): Trust {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ca: [...getCACertificates('default'), ...(extraCa === undefined ? [] : [extraCa])],
  });
}

/**
 * Secures a connected socket as a client of `host`, which goes into SNI (names only, as the standard wants) and must be
 * what the certificate is for. Rejects when the handshake fails, the certificate is not trusted, or `signal` is aborted.
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
 * The same with whatever certificate is shown: only to look at that certificate. Nothing may be sent over it, and
 * nothing that comes over it believed.
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
  // Whoever is given the socket next hears of its errors; in between, one must not end the process.
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}
