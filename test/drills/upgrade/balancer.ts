import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** How a network path is disturbed. Held bytes arrive once it is not, as TCP sends them again after a partition. */
export interface Disturbance {
  /** The directions in which nothing arrives. */
  readonly hold?: 'requests' | 'responses' | 'both';
  /** The delay of everything that arrives. */
  readonly delayMs?: number;
  /** The share of chunks that are lost, and arrive when TCP has sent them again. */
  readonly lost?: number;
}

/** The time after which TCP sends again; each time, it doubles. */
const RESEND_MS = 200;
const IDLE_MS = 1_000;

/** A load balancer before the replicas of a service: new connections go to each of them in turn. */
export interface Balancer {
  /** Routes new connections to these loopback ports; open ones stay where they are. */
  route(ports: readonly number[]): void;
  readonly port: number;
  /** Disturbs open and new connections from now on; without an argument, ends that. */
  disturb(how?: Disturbance): void;
  /** Closes connections without a byte in the last second, as load balancers do with idle ones. */
  closeIdle(): void;
  /** The number of connections that each port has received. */
  readonly given: ReadonlyMap<number, number>;
  close(): void;
}

/** Listens on a loopback port, by default a free one, and forwards bytes, as a Kubernetes Service does. */
export async function balance(port = 0): Promise<Balancer> {
  let ports: readonly number[] = [];
  let turn = 0;
  const given = new Map<number, number>();
  /** The open sockets, and when each last received bytes. */
  const sockets = new Map<Socket, number>();
  let disturbance: Disturbance = {};
  let changed = Promise.withResolvers<void>();
  /** Passes bytes in one direction, unless they are held or delayed. */
  const valve = (direction: 'requests' | 'responses') =>
    new Transform({
      transform(chunk, _encoding, done) {
        const pass = async () => {
          while (disturbance.hold === direction || disturbance.hold === 'both') await changed.promise;
          if (disturbance.delayMs) await pause(disturbance.delayMs);
          for (let ms = RESEND_MS; Math.random() < (disturbance.lost ?? 0); ms *= 2) await pause(ms);
        };
        pass().then(() => done(null, chunk), done);
      },
    });
  const server = createServer((client) => {
    const target = ports[turn % Math.max(1, ports.length)];
    turn += 1;
    if (target === undefined) return void client.destroy();
    given.set(target, (given.get(target) ?? 0) + 1);
    const replica = connect({ host: '127.0.0.1', port: target });
    for (const [socket, other, direction] of [
      [client, replica, 'requests'],
      [replica, client, 'responses'],
    ] as const) {
      sockets.set(socket, performance.now());
      socket.on('data', () => sockets.set(socket, performance.now()));
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        // After an end, the other side first gets the bytes that are held.
        if (!socket.readableEnded) other.destroy();
      });
      socket.pipe(valve(direction)).pipe(other);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    given,
    port: (server.address() as AddressInfo).port,
    disturb(how = {}) {
      disturbance = how;
      changed.resolve();
      changed = Promise.withResolvers();
    },
    closeIdle() {
      const since = performance.now() - IDLE_MS;
      for (const [socket, at] of sockets) if (at < since) socket.end();
    },
    route(to) {
      ports = to;
    },
    close() {
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
