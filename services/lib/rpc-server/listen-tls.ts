import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import { drainHttp, type ServiceProcess, type TlsListener } from '../service-runtime/index.ts';
import { REREAD_MS, TlsFileReader } from '../tls/index.ts';
import { closeSessions } from './close-sessions.ts';
import { type Handlers, HTTP1_OPTIONS, HTTP2_SETTINGS } from './listen-plain.ts';

const HANDSHAKE_MS = 10_000;

/**
 * Answers HTTP/1.1 and HTTP/2 on one port over TLS 1.2 or newer; the client chooses by ALPN. With authorities for
 * callers, whoever has no certificate of theirs is not heard. Files that changed are used from the next connection on, at
 * most `rereadMs` late. Resolves when it listens. Throws a ConfigError for files that cannot be used.
 */
export async function listenTls(
  process: ServiceProcess,
  { host, port, identity, callerAuthorities }: Omit<TlsListener, 'privatePort'> & { readonly host: string },
  handlers: Handlers,
  rereadMs = REREAD_MS,
): Promise<void> {
  const reader = new TlsFileReader({ identity, authorities: callerAuthorities }, process.log);
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
    (request, response) => {
      if (request.httpVersionMajor === 2) handlers.http2(request, response);
      // Node hands over the requests of HTTP/1.1 here, too, under the type of the other ones.
      else handlers.http1(request as unknown as IncomingMessage, response as unknown as Http1Response);
    },
  );
  server.on('tlsClientError', (err) => process.log.debug({ err }, 'TLS handshake failed'));
  const reread = setInterval(() => {
    if (reader.refresh()) server.setSecureContext(reader.material);
  }, rereadMs);
  reread.unref();
  const drain = drainHttp(server);
  const close = closeSessions(server, process.log);
  process.onStop(
    'RPC listener',
    async () => {
      clearInterval(reread);
      await Promise.all([drain(), close()]);
    },
    'listeners',
  );
  server.listen(port, host);
  await once(server, 'listening');
}

type Http1Response = ServerResponse<IncomingMessage> & { req: IncomingMessage };
