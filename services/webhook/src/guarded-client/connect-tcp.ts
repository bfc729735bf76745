import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ConnectionError } from './connection-error.ts';

/** A name with many addresses gets no more tries than one with few. */
const MAXIMUM_ADDRESSES = 4;
/** How long an address may keep silent, in milliseconds, while there is another to try. */
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
