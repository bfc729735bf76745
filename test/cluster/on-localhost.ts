import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** While `work` runs, forwards localhost ports to other hosts, as kind's `extraPortMappings` do. */
export async function onLocalhost<Result>(
  ports: Readonly<Record<number, { readonly host: string; readonly port: number }>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  try {
    for (const [port, target] of Object.entries(ports)) {
      const server = createServer((from) => {
        const to = connect(target);
        sockets.add(from).add(to);
        // A failure of one side closes the other.
        pipeline(from, to, () => sockets.delete(from));
        pipeline(to, from, () => sockets.delete(to));
      });
      servers.push(server.listen(Number(port), '127.0.0.1'));
      await once(server, 'listening');
    }
    return await work();
  } finally {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  }
}
