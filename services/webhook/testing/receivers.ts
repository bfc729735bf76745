import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

/** A certificate and its key, PEM, and other TLS options. */
export interface Credentials extends TlsOptions {
  readonly cert: string;
  readonly key: string;
}

/** The receiver's address: a free port of 127.0.0.1 by default. */
export interface Listening {
  readonly host?: string;
  readonly port?: number;
}

/** A server on the loopback network, until it is closed. */
export interface Receiver {
  readonly port: number;
  /** TCP connections accepted so far. */
  connections(): number;
  /** Bytes sent so far over TCP, on all connections together. */
  sentBytes(): number;
  close(): Promise<void>;
}

/** Starts a well-behaved HTTPS server; `names` collects the SNI names that clients request. */
export function httpsReceiver(
  credentials: Credentials,
  listener: RequestListener,
  names: string[] = [],
  where: Listening = {},
): Promise<Receiver> {
  const server = createHttpsServer(credentials, listener);
  server.on('secureConnection', (socket: TLSSocket & { servername?: string | false }) => {
    names.push(socket.servername || '');
  });
  return listening(server, where);
}

/** Starts a TLS server with the behaviour `talk`. */
export function tlsReceiver(credentials: Credentials, talk: (socket: TLSSocket) => void): Promise<Receiver> {
  const server = createTlsServer({ ...credentials, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  server.on('tlsClientError', () => {});
  return listening(server);
}

/** Starts a TCP server that speaks no TLS unless `talk` does. */
export function tcpReceiver(talk: (socket: Socket) => void, where: Listening = {}): Promise<Receiver> {
  return listening(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      talk(socket);
    }),
    where,
  );
}

/** Starts a server to which nothing must ever connect: it counts connections and closes them. */
export function trap(where: Listening): Promise<Receiver> {
  return tcpReceiver((socket) => socket.destroy(), where);
}

/** Returns a loopback port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const receiver = await tcpReceiver(() => {});
  await receiver.close();
  return receiver.port;
}

/** Starts a server as a receiver. */
export async function listening(
  server: ReturnType<typeof createTcpServer>,
  { host = '127.0.0.1', port = 0 }: Listening = {},
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let ended = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => {
      ended += socket.bytesWritten;
      sockets.delete(socket);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    sentBytes: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, ended),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
