import { createSocket, type Socket } from 'node:dgram';
import { isPortFree } from './ports.ts';

export type PortClaims = ReturnType<typeof portClaims>;

/**
 * Keeps ports from other stacks on this machine, of any user, until processes listen on them. A claim is a UDP socket on
 * the port, because nothing else here uses UDP, and because it ends with its process.
 */
export function portClaims() {
  const sockets: Socket[] = [];
  return {
    /** Resolves to false if another stack has claimed the port or a server listens on it. */
    async claim(port: number): Promise<boolean> {
      const socket = await bound(port);
      if (socket) sockets.push(socket);
      return socket !== undefined && isPortFree(port);
    },
    release(): void {
      for (const socket of sockets.splice(0)) socket.close();
    },
  };
}

function bound(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(socket));
  });
}
