import { X509Certificate } from 'node:crypto';
import type { RequestListener } from 'node:http';
import http2 from 'node:http2';
import { Gauge, type Registry } from '../../runtime/metrics/index.ts';
import { drainHttp, type ServiceProcess, type TlsListener } from '../../runtime/service-runtime/index.ts';
import { REREAD_MS, TlsFileReader } from '../../runtime/tls/index.ts';
import type { CallerConnections } from './caller-connections.ts';
import { HTTP1_OPTIONS, HTTP2_SETTINGS, listen } from './listen-plain.ts';

const HANDSHAKE_MS = 10_000;

/**
 * Serves HTTP/1.1 and HTTP/2 on one port over TLS; with caller authorities, only for clients with a certificate. Uses
 * changed files at most `rereadMs` late. Throws a ConfigError for unusable files.
 */
export async function listenTls(
  process: ServiceProcess,
  { host, port, identity, callerAuthorities }: Omit<TlsListener, 'privatePort'> & { readonly host: string },
  handler: RequestListener,
  connections: CallerConnections,
  rereadMs = REREAD_MS,
): Promise<void> {
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
  await listen(process, 'RPC listener', server, stop, { host, port });
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
