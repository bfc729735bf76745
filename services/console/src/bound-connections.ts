import type { Server } from 'node:http';
import { addressKey } from '@supplier/lib/rpc/client-address';

/** Closes connections of an address (of one /64) beyond `maxPerAddress`. */
export function boundConnections(server: Server, maxPerAddress: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const key = addressKey(socket.remoteAddress ?? '');
    const taken = open.get(key) ?? 0;
    if (taken >= maxPerAddress) return void socket.destroy();
    open.set(key, taken + 1);
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  });
}
