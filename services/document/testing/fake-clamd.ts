import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A scripted clamd on a port of its own. */
export interface FakeClamd {
  readonly address: { readonly host: string; readonly port: number };
  /** Everything that was sent on each connection, in order. */
  readonly received: Buffer[];
  close(): Promise<void>;
}

/**
 * Starts a server that does `act` with each connection, at once, with a function that resolves once it has a command.
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

/** Replies as soon as a stream has ended, and to any other command at once; a function gets what was received. */
export function answering(reply: string | ((received: Buffer) => string)) {
  return (socket: Socket, received: () => Buffer) => {
    socket.on('data', () => {
      if (isComplete(received())) socket.end(typeof reply === 'string' ? reply : reply(received()));
    });
  };
}

/** Whether a command was received to its end. */
export function isComplete(received: Buffer): boolean {
  const command = received.indexOf(0);
  if (command < 0) return false;
  if (received.toString('latin1', 0, command) !== 'zINSTREAM') return true;
  return pieces(received).at(-1)?.length === 0;
}

/** The pieces of a stream that were received whole. */
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
