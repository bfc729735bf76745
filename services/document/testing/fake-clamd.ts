import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A scripted clamd on a port of its own. */
export interface FakeClamd {
  readonly address: { readonly host: string; readonly port: number };
  /** Everything that was sent on each connection, in order. */
  readonly received: Buffer[];
  close(): Promise<void>;
}

/** Starts a server that does `act` with each connection, at once, with a function that resolves once it has a command. */
export async function startFakeClamd(act: (socket: Socket, heard: () => Buffer) => void): Promise<FakeClamd> {
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
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port');
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

/** Answers as soon as a stream has ended, and any other command at once; `reply` is told what was received. */
export function answering(reply: string | ((heard: Buffer) => string)) {
  return (socket: Socket, heard: () => Buffer) => {
    socket.on('data', () => {
      if (isComplete(heard())) socket.end(typeof reply === 'string' ? reply : reply(heard()));
    });
  };
}

/** Whether a command was received to its end. */
export function isComplete(heard: Buffer): boolean {
  const command = heard.indexOf(0);
  if (command < 0) return false;
  if (heard.toString('latin1', 0, command) !== 'zINSTREAM') return true;
  return pieces(heard).at(-1)?.length === 0;
}

/** The pieces of a stream that were received whole. */
export function pieces(heard: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let at = heard.indexOf(0) + 1;
  while (heard.length - at >= 4) {
    const length = heard.readUInt32BE(at);
    if (heard.length - at - 4 < length) break;
    found.push(heard.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}
