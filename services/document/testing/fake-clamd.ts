import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A scripted clamd on its own port. */
export interface FakeClamd {
  readonly address: { readonly host: string; readonly port: number };
  /** Everything sent on each connection, in order. */
  readonly received: Buffer[];
  close(): Promise<void>;
}

/**
 * Starts a server that calls `act` for each connection immediately, with a function that resolves once a command is
 * complete.
 */
export async function startFakeClamd(
  act: (socket: Socket, received: () => Buffer) => void,
): Promise<FakeClamd> {
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const index = received.push(Buffer.alloc(0)) - 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), chunk]);
    });
    act(socket, () => received[index] ?? Buffer.alloc(0));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    address: { host: '127.0.0.1', port: address.port },
    received,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Replies when a stream has ended, and to any other command immediately; a function receives the bytes sent. */
export function answering(reply: string | ((received: Buffer) => string)) {
  return (socket: Socket, received: () => Buffer) => {
    socket.on('data', () => {
      if (isComplete(received())) socket.end(typeof reply === 'string' ? reply : reply(received()));
    });
  };
}

/** Returns whether a complete command was received. */
export function isComplete(received: Buffer): boolean {
  const command = received.indexOf(0);
  if (command < 0) return false;
  if (received.toString('latin1', 0, command) !== 'zINSTREAM') return true;
  return pieces(received).at(-1)?.length === 0;
}

/** Returns the complete chunks of a stream. */
export function pieces(received: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let at = received.indexOf(0) + 1;
  while (received.length - at >= 4) {
    const length = received.readUInt32BE(at);
    if (received.length - at - 4 < length) break;
    found.push(received.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}
