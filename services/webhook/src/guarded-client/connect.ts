import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { AddressPolicy } from '../model/address-policy.ts';
import type { AttemptError } from '../model/attempt.ts';

const NOTHING_REACHED: ConnectionFacts = {
  address: undefined,
  tlsVersion: undefined,
  dnsMs: undefined,
  connectMs: undefined,
  tlsMs: undefined,
  asksForCertificate: false,
};

/** The dependencies for opening connections. */
export interface ConnectionParts {
  readonly resolve: ResolveHost;
  readonly policy: AddressPolicy;
  readonly secureContext: SecureContext;
}

/**
 * Facts about a connection: its address, its TLS, and the duration of each phase, in ms. Undefined for phases that were
 * not reached.
 */
export interface ConnectionFacts {
  readonly address: string | undefined;
  readonly tlsVersion: string | undefined;
  /** Also undefined for an IP literal. */
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  /** Whether the server asked for a client certificate, which is never presented. */
  readonly asksForCertificate: boolean;
}

export interface OpenedConnection {
  readonly socket: TLSSocket;
  readonly facts: ConnectionFacts;
}

/**
 * Opens a TLS connection to `target`. Connects only if the policy admits every address of the name, and only to one of
 * exactly these addresses, so that a second DNS answer cannot redirect it. `reached` gets the facts after each phase,
 * so that an attempt that ends midway can still record its progress. Rejects with a ConnectionError, or with the
 * signal's reason once it is aborted. Implements docs/contract.md, section 7.
 */
export async function openConnection(
  target: Target,
  parts: ConnectionParts,
  signal: AbortSignal,
  reached: (facts: ConnectionFacts) => void = () => {},
): Promise<OpenedConnection> {
  const literal = isIP(target.host) !== 0;
  const started = performance.now();
  const addresses = literal ? [target.host] : await resolve(target.host, parts.resolve, signal);
  for (const address of addresses) {
    if (!parts.policy.admits(address)) throw new ConnectionError('address_refused', address);
  }
  const resolved = performance.now();
  const dnsMs = literal ? undefined : resolved - started;
  reached({ ...NOTHING_REACHED, dnsMs });
  const { socket: tcp, address } = await connectTcp(addresses, target.port, signal);
  const connected = performance.now();
  const connectMs = connected - resolved;
  reached({ ...NOTHING_REACHED, dnsMs, connectMs, address });
  let asksForCertificate = false;
  const socket = await secure(tcp, target, address, parts.secureContext, signal, () => {
    asksForCertificate = true;
    reached({ ...NOTHING_REACHED, dnsMs, connectMs, address, asksForCertificate });
  });
  return {
    socket,
    facts: {
      asksForCertificate,
      address,
      tlsVersion: socket.getProtocol() ?? 'unknown',
      dnsMs,
      connectMs,
      tlsMs: performance.now() - connected,
    },
  };
}

async function resolve(host: string, resolveHost: ResolveHost, signal: AbortSignal): Promise<string[]> {
  try {
    return await resolveHost(host, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConnectionError('dns', undefined, cause);
  }
}

async function secure(
  tcp: Socket,
  target: Target,
  address: string,
  secureContext: SecureContext,
  signal: AbortSignal,
  asked: () => void,
): Promise<TLSSocket> {
  try {
    return await startTls(tcp, target.host, { secureContext, asked }, signal);
  } catch (cause) {
    tcp.destroy();
    signal.throwIfAborted();
    throw new ConnectionError('tls', address, cause);
  }
}

/** The destination: a host name without trailing dots or an IP literal without brackets, and a port. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Returns the target of a URL: its host without brackets or trailing dots, and its port. */
export function targetOf(url: URL): Target {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.+$/, '');
  return { host, port: url.port === '' ? 443 : Number(url.port) };
}

/** Limits the tries for a name with many addresses. */
const MAXIMUM_ADDRESSES = 4;
/** Timeout for an address, in milliseconds, while there is another to try. */
const PATIENCE_MS = 3_000;

/**
 * Connects to the first of `addresses` that responds, in order. Rejects with a ConnectionError when none does, or with
 * the signal's reason once it is aborted.
 */
export async function connectTcp(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string }> {
  const tried = addresses.slice(0, MAXIMUM_ADDRESSES);
  let failure: unknown;
  for (const [index, address] of tried.entries()) {
    const last = index === tried.length - 1;
    try {
      const patience = last ? signal : AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      return { socket: await connectOne(address, port, patience), address };
    } catch (cause) {
      signal.throwIfAborted();
      failure = cause;
    }
  }
  throw new ConnectionError('connect', tried.at(-1), failure);
}

async function connectOne(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 15_000,
  });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (cause) {
    socket.on('error', () => {}).destroy();
    throw cause;
  }
}

/** Why no connection was made, as an attempt's error, and the address that was tried, if any. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly error: Extract<AttemptError, 'dns' | 'address_refused' | 'connect' | 'tls'>;
  readonly address: string | undefined;

  constructor(error: ConnectionError['error'], address?: string, cause?: unknown) {
    super(`connection failed: ${error}`, { cause });
    this.error = error;
    this.address = address;
  }
}

export type Trust = SecureContext;

/**
 * Loads the authorities against which receivers' certificates are checked: the built-in ones and, if given, the ones in
 * `extraCa` (PEM).
 */
export function trust(extraCa: string | undefined): Trust {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ca: [...getCACertificates('default'), ...(extraCa === undefined ? [] : [extraCa])],
  });
}

/**
 * Starts TLS on a connected socket as a client of `host`, which is sent as SNI (names only, as the standard requires)
 * and must match the certificate. Calls `asked` if the server asks for a client certificate. Rejects when the handshake
 * fails, `signal` is aborted or, unless `rejectUnauthorized` is false, the certificate is not trusted.
 */
async function startTls(
  tcp: Socket,
  host: string,
  options: {
    readonly secureContext: Trust;
    readonly rejectUnauthorized?: boolean;
    readonly asked?: () => void;
  },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { secureContext, rejectUnauthorized = true, asked } = options;
  const socket = connectTls({
    socket: tcp,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized,
  });
  // Until the next owner of the socket listens for errors, an error must not crash the process.
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  } finally {
    // A client shares signature algorithms with a server only if the server sent a CertificateRequest.
    if (socket.getSharedSigalgs().length > 0) asked?.();
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
  /** The code of the first verification error; undefined for a trusted certificate. */
  readonly mistrust: string | undefined;
  /** Whether the certificate is for the requested host. */
  readonly namesHost: boolean;
}

const MAXIMUM_NAME_LENGTH = 500;

/**
 * Reads the certificate of `target` at exactly `address`, and closes the connection without sending anything over it,
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
  // Only to inspect the certificate: send nothing over it, and trust nothing received over it.
  const socket = await startTls(
    tcp,
    target.host,
    { secureContext: parts.secureContext, rejectUnauthorized: false },
    signal,
  );
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

/** Returns the addresses of a host name, IPv4 first. Rejects when there are none, and when `signal` is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 2_500;
const TRIES = 3;
/** How long to wait for the other address family once one is known: some name servers never answer for IPv6. */
const OTHER_FAMILY_MS = 1_000;

/**
 * Returns a resolver that queries `servers`, by default the system's name servers, directly. Unlike with the system's
 * resolver, a hanging name server blocks no thread, and the signal ends the query: one endpoint's broken DNS must not
 * delay the others.
 */
export function resolvingBy(servers?: readonly string[]): ResolveHost {
  return async (hostname, signal) => {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    const waits: NodeJS.Timeout[] = [];
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled(
        [resolver.resolve4(hostname), resolver.resolve6(hostname)].map(async (query) => {
          const addresses = await query;
          if (addresses.length > 0) waits.push(setTimeout(cancel, OTHER_FAMILY_MS));
          return addresses;
        }),
      );
      signal.throwIfAborted();
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length === 0)
        throw new Error('host name has no address', { cause: firstReason(answers) });
      return addresses;
    } finally {
      for (const wait of waits) clearTimeout(wait);
      signal.removeEventListener('abort', cancel);
    }
  };
}

export const resolveByDns = resolvingBy();

function firstReason(answers: PromiseSettledResult<string[]>[]): unknown {
  return answers.find((answer) => answer.status === 'rejected')?.reason;
}
