import { buildConnector } from 'undici';
import type { z } from 'zod';
import { ConfigError, setting, text } from '../config/index.ts';
import type { Logger } from '../log/index.ts';
import { type NamedFile, REREAD_MS, TlsFileReader, type TlsFiles } from './tls-file-reader.ts';

export { type NamedFile, REREAD_MS, TlsFileReader, type TlsFiles } from './tls-file-reader.ts';

/** The variables of every process that uses TLS: PEM files, each read again when it changes. */
export const tlsVariables = {
  SSS_TLS_CERTIFICATE_FILE: setting(
    text().optional(),
    'PEM certificate of the process, as server and client',
  ),
  SSS_TLS_KEY_FILE: setting(text().optional(), 'PEM key of that certificate'),
  SSS_TLS_CA_FILE: setting(
    text().optional(),
    'PEM certificate authorities of the services it calls; unset: Node’s default',
  ),
};

/** Returns the named files. Throws a ConfigError for a certificate without its key, and the reverse. */
export function tlsFiles(values: z.infer<z.ZodObject<typeof tlsVariables>>): TlsFiles {
  const certificate = named('SSS_TLS_CERTIFICATE_FILE', values.SSS_TLS_CERTIFICATE_FILE);
  const key = named('SSS_TLS_KEY_FILE', values.SSS_TLS_KEY_FILE);
  if (!certificate !== !key)
    throw new ConfigError(
      `bad configuration: ${certificate ? 'SSS_TLS_KEY_FILE' : 'SSS_TLS_CERTIFICATE_FILE'} is missing`,
    );
  return {
    identity: certificate && key ? { certificate, key } : undefined,
    authorities: named('SSS_TLS_CA_FILE', values.SSS_TLS_CA_FILE),
  };
}

/** Returns the file that a variable names, if it is set. */
export const named = (setting: string, path: string | undefined): NamedFile | undefined =>
  path === undefined ? undefined : { setting, path };

/**
 * Creates a connector for undici that opens connections within `timeoutMs`, over TLS 1.2 or newer for `https:`. Checks
 * the server's certificate and presents its own. Uses changed files from the next connection, at most `rereadMs` late.
 * Throws a ConfigError for unusable files.
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
