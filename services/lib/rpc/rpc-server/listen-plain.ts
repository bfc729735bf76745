import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { Server } from 'node:net';
import { drainHttp, type PlainListeners, type ServiceProcess } from '../../runtime/service-runtime/index.ts';
import type { CallerConnections } from './caller-connections.ts';

/** Of all headers of a call together, however it comes. */
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

/**
 * Answers HTTP/1.1 on one port and HTTP/2 on the other, both without TLS. Sessions of HTTP/2 are held to the bounds of
 * callers; HTTP/1.1 is not, since probes and scrapers come there, too. Resolves when both listen.
 */
export async function listenPlain(
  process: ServiceProcess,
  { host, http1Port, h2cPort }: PlainListeners & { readonly host: string },
  handler: RequestListener,
  connections: CallerConnections,
): Promise<void> {
  await listenHttp1(process, 'HTTP/1.1 listener', { host, port: http1Port }, handler);

  // Requests of HTTP/2 have the same shape, as far as an application reads them.
  const server = http2.createServer({ settings: HTTP2_SETTINGS }, handler as never);
  connections.watch(server);
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    await Promise.all([connections.closeSessions(), closed]);
  };
  await listen(process, 'HTTP/2 listener', server, stop, { host, port: h2cPort });
}

/** Answers HTTP/1.1 without TLS. Resolves when it listens; stops without failing a request. */
export async function listenHttp1(
  process: ServiceProcess,
  what: string,
  address: Address,
  handler: RequestListener,
): Promise<void> {
  const server = http.createServer(HTTP1_OPTIONS, handler);
  await listen(process, what, server, drainHttp(server), address);
}

/** Has a server listen until the process stops. Resolves when it does. */
export async function listen(
  process: ServiceProcess,
  what: string,
  server: Server,
  stop: () => Promise<void>,
  { host, port }: Address,
): Promise<void> {
  // Some dozen processes call, with a few hundred connections each at most.
  server.maxConnections = MAX_CONNECTIONS;
  server.on('sessionError', (err) => process.log.debug({ err }, 'HTTP/2 session failed'));
  server.on('tlsClientError', (err) => process.log.debug({ err }, 'TLS handshake failed'));
  process.onStop(what, stop, 'listeners');
  server.listen(port, host);
  await once(server, 'listening');
}
