import type { z } from 'zod';
import { ConfigError, text } from '../config/index.ts';

/** The variables of every process that talks to others over TLS: PEM files, each read again when it changes. */
export const tlsVariables = {
  SSS_TLS_CERTIFICATE_FILE: text().optional(),
  SSS_TLS_KEY_FILE: text().optional(),
  SSS_TLS_CA_FILE: text().optional(),
};

/** A file, and the variable that names it. */
export interface NamedFile {
  readonly setting: string;
  readonly path: string;
}

/** What a process presents, and whom it believes. Without authorities, those built into Node. */
export interface TlsFiles {
  readonly identity?: { readonly certificate: NamedFile; readonly key: NamedFile } | undefined;
  readonly authorities?: NamedFile | undefined;
}

/** The files that the variables name. Throws a ConfigError for a certificate without its key, and the reverse. */
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

/** The file that a variable names, if it is set. */
export const named = (setting: string, path: string | undefined): NamedFile | undefined =>
  path === undefined ? undefined : { setting, path };
