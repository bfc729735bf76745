import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';

interface Credentials {
  readonly cert: string;
  readonly key: string;
}

/** Something that listens on a free port of the loopback address until it is closed. */
export interface Receiver {
  readonly port: number;
  /** TCP connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** A well-behaved HTTPS server; `names` collects what clients asked for in SNI. */
export function httpsReceiver(
  credentials: Credentials,
  listener: RequestListener,
  names: string[] = [],
): Promise<Receiver> {
  const server = createHttpsServer(credentials, listener);
  server.on('secureConnection', (socket: TLSSocket & { servername?: string | false }) => {
    names.push(socket.servername || '');
  });
  return listening(server);
}

/** A TLS server that speaks whatever `talk` says. */
export function tlsReceiver(credentials: Credentials, talk: (socket: TLSSocket) => void): Promise<Receiver> {
  const server = createTlsServer({ ...credentials, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  server.on('tlsClientError', () => {});
  return listening(server);
}

/** A TCP server that speaks no TLS unless `talk` does. */
export function tcpReceiver(talk: (socket: Socket) => void): Promise<Receiver> {
  return listening(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      talk(socket);
    }),
  );
}

/** A port of the loopback address that nobody listens on. */
export async function closedPort(): Promise<number> {
  const receiver = await tcpReceiver(() => {});
  await receiver.close();
  return receiver.port;
}

async function listening(server: ReturnType<typeof createTcpServer>): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
