import { isIP, type Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { AddressPolicy } from '../model/address-policy.ts';
import type { ResolveHost } from './dns.ts';
import { ConnectionError, connectTcp, type Target } from './tcp.ts';
import { startTls } from './tls.ts';

const NOTHING_REACHED: ConnectionFacts = {
  address: undefined,
  tlsVersion: undefined,
  dnsMs: undefined,
  connectMs: undefined,
  tlsMs: undefined,
};

/** What opening connections needs from outside. */
export interface ConnectionParts {
  readonly resolve: ResolveHost;
  readonly policy: AddressPolicy;
  readonly secureContext: SecureContext;
}

/**
 * Facts about a connection: its address, its TLS, and how long each phase took, in ms. Undefined for phases that were
 * not reached.
 */
export interface ConnectionFacts {
  readonly address: string | undefined;
  readonly tlsVersion: string | undefined;
  /** Also undefined for an IP literal. */
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
}

export interface OpenedConnection {
  readonly socket: TLSSocket;
  readonly facts: ConnectionFacts;
}

/**
 * Opens a TLS connection to `target`. The policy must admit every address of the name, or no connection is made; it is
 * made to one of exactly these addresses, so that a second DNS answer cannot redirect it. `reached` gets the facts
 * after each phase, so that an attempt that ends in the middle can still record how far it got. Rejects with a
 * ConnectionError, or with the signal's reason once it is aborted. Implements docs/contract.md, section 7.
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
  const socket = await secure(tcp, target, address, parts.secureContext, signal);
  return {
    socket,
    facts: {
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
): Promise<TLSSocket> {
  try {
    return await startTls(tcp, target.host, secureContext, signal);
  } catch (cause) {
    tcp.destroy();
    signal.throwIfAborted();
    throw new ConnectionError('tls', address, cause);
  }
}
