import type { z } from 'zod';
import { ConfigError, setting, text } from '../config/index.ts';

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

/** A file, and the variable that names it. */
export interface NamedFile {
  readonly setting: string;
  readonly path: string;
}

/** The certificate that a process presents, and the authorities that it trusts: by default those built into Node. */
export interface TlsFiles {
  readonly identity?: { readonly certificate: NamedFile; readonly key: NamedFile } | undefined;
  readonly authorities?: NamedFile | undefined;
}

/**
 * Returns the files that the variables name. Throws a ConfigError for a certificate without its key, and the reverse.
 */
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
