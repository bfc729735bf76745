import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * While `work` lasts, brings ports of localhost to others, as kind's `extraPortMappings` do. Rejects when a port of localhost
 * is taken.
 */
export async function onLocalhost<Result>(
  ports: Readonly<Record<number, Target>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  try {
    for (const [port, target] of Object.entries(ports))
      servers.push(await listen(Number(port), target, sockets));
    return await work();
  } finally {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  }
}

function listen(port: number, target: Target, sockets: Set<Socket>): Promise<Server> {
  const server = createServer((from) => {
    const to = connect(target);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    // A side that fails takes the other with it: nothing else is to be done about it.
    pipeline(from, to, () => undefined);
    pipeline(to, from, () => undefined);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
