import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { AttemptError } from '../model/attempt.ts';

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
