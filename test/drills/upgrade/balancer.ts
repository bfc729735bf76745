import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A load balancer before the replicas of a service: new connections go to each of them in turn. */
export interface Balancer {
  /** Routes new connections to these loopback ports; open ones stay where they are. */
  route(ports: readonly number[]): void;
  /** The number of connections that each port has received. */
  readonly given: ReadonlyMap<number, number>;
  close(): void;
}

/** Listens on a loopback port and forwards bytes, as a Kubernetes Service does. */
export async function balance(port: number): Promise<Balancer> {
  let ports: readonly number[] = [];
  let turn = 0;
  const given = new Map<number, number>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = ports[turn % Math.max(1, ports.length)];
    turn += 1;
    if (target === undefined) return void client.destroy();
    given.set(target, (given.get(target) ?? 0) + 1);
    const replica = connect({ host: '127.0.0.1', port: target });
    for (const [socket, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    given,
    route(to) {
      ports = to;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
