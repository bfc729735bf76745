import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { Server } from 'node:net';
import { drainHttp, type PlainListeners, type ServiceProcess } from '../../runtime/service-runtime/index.ts';
import type { CallerConnections } from './caller-connections.ts';

/** Limit for all headers of a call together, in any protocol. */
export const MAX_HEADERS_BYTES = 16 * 1024;
export const HTTP1_OPTIONS = {
  keepAliveTimeout: 70_000,
  requestTimeout: 30_000,
  maxHeaderSize: MAX_HEADERS_BYTES,
};
export const HTTP2_SETTINGS = { maxConcurrentStreams: 250, maxHeaderListSize: MAX_HEADERS_BYTES };
const MAX_CONNECTIONS = 5_000;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Serves HTTP/1.1 and HTTP/2 on two ports. Caller bounds exclude HTTP/1.1, which probes use too. */
export async function listenPlain(
  process: ServiceProcess,
  { host, http1Port, h2cPort }: PlainListeners & { readonly host: string },
  handler: RequestListener,
  connections: CallerConnections,
): Promise<void> {
  await listenHttp1(process, 'HTTP/1.1 listener', { host, port: http1Port }, handler);

  // HTTP/2 requests have the same shape as far as an application reads them.
  const server = http2.createServer({ settings: HTTP2_SETTINGS }, handler as never);
  connections.watch(server);
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    await Promise.all([connections.closeSessions(), closed]);
  };
  await listen(process, 'HTTP/2 listener', server, stop, { host, port: h2cPort });
}

/** Serves HTTP/1.1 without TLS. Resolves when listening; stops without failing a request. */
export async function listenHttp1(
  process: ServiceProcess,
  what: string,
  address: Address,
  handler: RequestListener,
): Promise<void> {
  const server = http.createServer(HTTP1_OPTIONS, handler);
  await listen(process, what, server, drainHttp(server), address);
}

/** Keeps a server listening until the process stops. Resolves when it is listening. */
export async function listen(
  process: ServiceProcess,
  what: string,
  server: Server,
  stop: () => Promise<void>,
  { host, port }: Address,
): Promise<void> {
  // A few dozen processes call, with at most a few hundred connections each.
  server.maxConnections = MAX_CONNECTIONS;
  server.on('sessionError', (err) => process.log.debug({ err }, 'HTTP/2 session failed'));
  server.on('tlsClientError', (err) => process.log.debug({ err }, 'TLS handshake failed'));
  process.onStop(what, stop, 'listeners');
  server.listen(port, host);
  await once(server, 'listening');
}
