import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/**
 * Opens a connection that does not close automatically, and writes `bytes` to it. Socket errors are ignored, because
 * the peer causes them.
 */
export async function openRaw(server: Server, bytes: string | Buffer): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
}

/** Writes `parts` to a new connection and resolves to everything received until the server closes it. */
export async function exchangeRaw(server: Server, ...parts: (string | Buffer)[]): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const over = new Promise((resolve) => socket.once('error', resolve).once('close', resolve));
  for (const part of parts) socket.write(part);
  await over;
  return Buffer.concat(chunks).toString();
}

/** Tracks the connections of a server; `allGone` resolves once all accepted connections are closed. */
export function followConnections(server: Server): { allGone: () => Promise<void> } {
  const open = new Set<Socket>();
  let wakeUp = () => {};
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) wakeUp();
    });
  });
  return {
    allGone: async () => {
      // Connections are accepted in the order in which they were made, so none is pending after this one.
      const taken = once(server, 'connection');
      const last = await openRaw(server, '');
      await taken;
      last.destroy();
      if (open.size === 0) return;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
    },
  };
}

/** Returns a generator of whole numbers from 0 to below `below`; the same seed gives the same numbers. */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
