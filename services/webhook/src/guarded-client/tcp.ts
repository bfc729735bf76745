import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { AttemptError } from '../domain/attempt.ts';

/** Where to connect to: a host name without trailing dots or an IP literal without brackets, and a port. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The target of a URL: its host without brackets or trailing dots, and its port. */
export function targetOf(url: URL): Target {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.+$/, '');
  return { host, port: url.port === '' ? 443 : Number(url.port) };
}

/** The addresses of a host name, IPv4 first. Rejects when there are none, and when `signal` is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 2_500;
const TRIES = 3;

/**
 * Asks the system's name servers directly. Unlike with the system's resolver, a hanging name server blocks no thread,
 * and the signal ends the query: one endpoint's dead DNS must not hold up the others.
 */
export const resolveByDns: ResolveHost = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    signal.throwIfAborted();
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('host name has no address', { cause: firstReason(answers) });
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

function firstReason(answers: PromiseSettledResult<string[]>[]): unknown {
  return answers.find((answer) => answer.status === 'rejected')?.reason;
}

/** A name with many addresses gets no more tries than one with few. */
const MAXIMUM_ADDRESSES = 4;
/** How long to wait for an address, in milliseconds, while there is another to try. */
const PATIENCE_MS = 3_000;

/**
 * Connects to the first of `addresses` that answers, in their order. Rejects with a ConnectionError when none does, or
 * with the signal's reason once it is aborted.
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

/** Why no connection was made, as an attempt's error, and to which address, when one was tried. */
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
