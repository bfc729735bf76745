import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { Gauge, type Registry } from '../../runtime/metrics/index.ts';
import {
  drainHttp,
  type PlainListeners,
  type ServiceProcess,
  type TlsListener,
} from '../../runtime/service-runtime/index.ts';
import { REREAD_MS, TlsFileReader } from '../../runtime/tls/index.ts';
import type { CallerConnections } from './caller-connections.ts';

/** Limit for all headers of a call together, in any protocol. */
export const MAX_HEADERS_BYTES = 16 * 1024;
const HTTP1_OPTIONS = {
  keepAliveTimeout: 70_000,
  requestTimeout: 30_000,
  maxHeaderSize: MAX_HEADERS_BYTES,
};
const HTTP2_SETTINGS = { maxConcurrentStreams: 250, maxHeaderListSize: MAX_HEADERS_BYTES };
const MAX_CONNECTIONS = 5_000;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The ports in use; they differ from the configured ones where those are 0. */
export interface OpenPorts {
  /** HTTP/1.1 without TLS: pages, and calls unless the other port serves TLS. */
  readonly http1Port: number;
  /** HTTP/2, with or without TLS. */
  readonly http2Port: number;
}

/** Serves HTTP/1.1 and HTTP/2 on two ports. Caller bounds exclude HTTP/1.1, which probes use too. */
export async function listenPlain(
  process: ServiceProcess,
  { host, http1Port, h2cPort }: PlainListeners & { readonly host: string },
  handler: RequestListener,
  connections: CallerConnections,
): Promise<OpenPorts> {
  const opened = await listenHttp1(process, 'HTTP/1.1 listener', { host, port: http1Port }, handler);

  // HTTP/2 requests have the same shape as far as an application reads them.
  const server = http2.createServer({ settings: HTTP2_SETTINGS }, handler as never);
  connections.watch(server);
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    await Promise.all([connections.closeSessions(), closed]);
  };
  const http2Port = await listen(process, 'HTTP/2 listener', server, stop, { host, port: h2cPort });
  return { http1Port: opened, http2Port };
}

/** Serves HTTP/1.1 without TLS. Resolves with its port when listening; stops without failing a request. */
export async function listenHttp1(
  process: ServiceProcess,
  what: string,
  address: Address,
  handler: RequestListener,
): Promise<number> {
  const server = http.createServer(HTTP1_OPTIONS, handler);
  return await listen(process, what, server, drainHttp(server), address);
}

/** Keeps a server listening until the process stops. Resolves with its port when it is listening. */
async function listen(
  process: ServiceProcess,
  what: string,
  server: Server,
  stop: () => Promise<void>,
  { host, port }: Address,
): Promise<number> {
  // A few dozen processes call, with at most a few hundred connections each.
  server.maxConnections = MAX_CONNECTIONS;
  server.on('sessionError', (err) => process.log.debug({ err }, 'HTTP/2 session failed'));
  server.on('tlsClientError', (err) => process.log.debug({ err }, 'TLS handshake failed'));
  process.onStop(what, stop, 'listeners');
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const HANDSHAKE_MS = 10_000;

/**
 * Serves HTTP/1.1 and HTTP/2 on one port over TLS; with caller authorities, only for clients with a certificate. Uses
 * changed files at most `rereadMs` late. Resolves with its port. Throws a ConfigError for unusable files.
 */
export async function listenTls(
  process: ServiceProcess,
  { host, port, identity, callerAuthorities }: Omit<TlsListener, 'privatePort'> & { readonly host: string },
  handler: RequestListener,
  connections: CallerConnections,
  rereadMs = REREAD_MS,
): Promise<number> {
  const reader = new TlsFileReader({ identity, authorities: callerAuthorities }, process.log);
  measureExpiry(process.metrics, reader);
  const wantsCertificate = callerAuthorities !== undefined;
  const server = http2.createSecureServer(
    {
      ...reader.material,
      requestCert: wantsCertificate,
      rejectUnauthorized: wantsCertificate,
      handshakeTimeout: HANDSHAKE_MS,
      allowHTTP1: true,
      settings: HTTP2_SETTINGS,
      ...HTTP1_OPTIONS,
    },
    handler as never,
  );
  connections.watch(server);
  const reread = setInterval(() => {
    if (reader.refresh()) server.setSecureContext(reader.material);
  }, rereadMs);
  reread.unref();
  const drain = drainHttp(server);
  const stop = async () => {
    clearInterval(reread);
    await Promise.all([drain(), connections.closeSessions()]);
  };
  return await listen(process, 'RPC listener', server, stop, { host, port });
}

function measureExpiry(registry: Registry, reader: TlsFileReader): void {
  new Gauge({
    name: 'sss_tls_certificate_expiry_timestamp_seconds',
    help: 'Expiry of the RPC server certificate, as a Unix timestamp.',
    registers: [registry],
    collect() {
      this.set(Date.parse(new X509Certificate(String(reader.material.cert)).validTo) / 1000);
    },
  });
}
