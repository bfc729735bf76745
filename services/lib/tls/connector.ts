import { buildConnector } from 'undici';
import type { Logger } from '../log/index.ts';
import type { TlsFiles } from './settings.ts';
import { REREAD_MS, TlsFileReader } from './tls-file-reader.ts';

/**
 * Opens connections for undici within `timeoutMs`, over TLS 1.2 or newer for `https:`: the server must prove to be the
 * host of the URL, by one of the authorities; the process presents its own certificate when it is asked to. Files that
 * changed are used from the next connection on, at most `rereadMs` late. Throws a ConfigError for files that cannot be
 * used.
 */
export function tlsConnector(
  files: TlsFiles,
  log: Logger,
  timeoutMs: number,
  rereadMs = REREAD_MS,
): buildConnector.connector {
  const reader = new TlsFileReader(files, log);
  // A new one has no sessions to resume: a resumed session is not asked for its certificate again.
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
