import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { connectNodeAdapter } from '@connectrpc/connect-node';
import { drainHttp, type PlainListeners, type ServiceProcess } from '../../runtime/service-runtime/index.ts';
import type { CallerConnections } from './caller-connections.ts';
import { closeSessions } from './close-sessions.ts';

/** Of all headers of a call together, however it comes. */
export const MAX_HEADERS_BYTES = 16 * 1024;
export const HTTP1_OPTIONS = {
  keepAliveTimeout: 70_000,
  requestTimeout: 30_000,
  maxHeaderSize: MAX_HEADERS_BYTES,
};
export const HTTP2_SETTINGS = { maxConcurrentStreams: 250, maxHeaderListSize: MAX_HEADERS_BYTES };
/** Open connections of a listener: some dozen processes call, with a few hundred connections each at most. */
export const MAX_CONNECTIONS = 5_000;

/** The handlers of each version of HTTP. */
export interface Handlers {
  readonly http1: RequestListener;
  readonly http2: ReturnType<typeof connectNodeAdapter>;
}

/**
 * Answers HTTP/1.1 on one port and HTTP/2 on the other, both without TLS. Sessions of HTTP/2 are held to the bounds of
 * callers; HTTP/1.1 is not, since probes and scrapers come there, too. Resolves when both listen.
 */
export async function listenPlain(
  process: ServiceProcess,
  { host, http1Port, h2cPort }: PlainListeners & { readonly host: string },
  handlers: Handlers,
  connections: CallerConnections,
): Promise<void> {
  await listenHttp1(process, 'HTTP/1.1 listener', { host, port: http1Port }, handlers.http1);

  const server = http2.createServer({ settings: HTTP2_SETTINGS }, handlers.http2);
  server.maxConnections = MAX_CONNECTIONS;
  connections.watch(server);
  const close = closeSessions(server, process.log);
  process.onStop(
    'HTTP/2 listener',
    async () => {
      const closed = once(server, 'close');
      server.close();
      await Promise.all([close(), closed]);
    },
    'listeners',
  );
  server.listen(h2cPort, host);
  await once(server, 'listening');
}

/** Answers HTTP/1.1 without TLS. Resolves when it listens; stops without failing a request. */
export async function listenHttp1(
  process: ServiceProcess,
  what: string,
  { host, port }: { readonly host: string; readonly port: number },
  handler: RequestListener,
): Promise<void> {
  const server = http.createServer(HTTP1_OPTIONS, handler);
  server.maxConnections = MAX_CONNECTIONS;
  process.onStop(what, drainHttp(server), 'listeners');
  server.listen(port, host);
  await once(server, 'listening');
}
