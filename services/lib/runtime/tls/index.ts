import { buildConnector } from 'undici';
import type { Logger } from '../log/index.ts';
import { REREAD_MS, TlsFileReader } from './tls-file-reader.ts';
import type { TlsFiles } from './tls-settings.ts';

export { MIN_TLS_VERSION, REREAD_MS, TlsFileReader } from './tls-file-reader.ts';
export { type NamedFile, named, type TlsFiles, tlsFiles, tlsVariables } from './tls-settings.ts';

/**
 * Creates a connector for undici that opens connections within `timeoutMs`, over TLS 1.2 or newer for `https:`. The
 * server needs a certificate for the URL's host from one of the authorities; the process presents its own on request.
 * Changed files are used from the next connection, at most `rereadMs` late. Throws a ConfigError for unusable files.
 */
export function tlsConnector(
  files: TlsFiles,
  log: Logger,
  timeoutMs: number,
  rereadMs = REREAD_MS,
): buildConnector.connector {
  const reader = new TlsFileReader(files, log);
  // A new connector has no sessions to resume: resuming one would skip the certificate check.
  const build = () =>
    buildConnector({ ...reader.material, rejectUnauthorized: true, allowH2: false, timeout: timeoutMs });
  let connect = build();
  let rereadAt = performance.now() + rereadMs;
  return (options, callback) => {
    if (performance.now() >= rereadAt) {
      rereadAt = performance.now() + rereadMs;
      if (reader.refresh()) connect = build();
    }
    return connect(options, callback);
  };
}
