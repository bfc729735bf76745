import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigError } from '../config/index.ts';
import type { Logger } from '../log/index.ts';

/** Maximum delay before a renewed file is used, in milliseconds. */
export const REREAD_MS = 10_000;
const MIN_TLS_VERSION = 'TLSv1.2';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

export interface NamedFile {
  readonly setting: string;
  readonly path: string;
}

/** The certificate that a process presents, and the authorities that it trusts: by default those built into Node. */
export interface TlsFiles {
  readonly identity?: { readonly certificate: NamedFile; readonly key: NamedFile } | undefined;
  readonly authorities?: NamedFile | undefined;
}

type TlsMaterial = Pick<SecureContextOptions, 'cert' | 'key' | 'ca' | 'minVersion'>;

/** An unusable file; the message begins with its setting. */
class UnusableFile extends Error {}

/** Reads TLS files, again on request. Keeps the old ones until all new ones fit together. */
export class TlsFileReader {
  readonly #files: TlsFiles;
  readonly #log: Logger;
  #seen: string;
  #material: TlsMaterial;

  /** Throws a ConfigError that names the setting of an unusable file. */
  constructor(files: TlsFiles, log: Logger) {
    this.#files = files;
    this.#log = log;
    try {
      const texts = readAll(files);
      this.#seen = fingerprintOf(texts);
      this.#material = materialOf(files, texts);
    } catch (error) {
      if (error instanceof UnusableFile) throw new ConfigError(`bad configuration: ${error.message}`);
      throw error;
    }
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  /** Checks the files. Returns true when there is something new to use; unusable files are logged once. */
  refresh(): boolean {
    let looked = 'unreadable';
    try {
      const texts = readAll(this.#files);
      looked = fingerprintOf(texts);
      if (looked === this.#seen) return false;
      this.#material = materialOf(this.#files, texts);
      this.#log.info({}, 'TLS files reloaded');
      return true;
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      if (looked !== this.#seen) this.#log.error({ reason: error.message }, 'TLS files unusable');
      return false;
    } finally {
      this.#seen = looked;
    }
  }
}

interface Texts {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly authorities: string | undefined;
}

function readAll({ identity, authorities }: TlsFiles): Texts {
  return {
    certificate: identity && read(identity.certificate),
    key: identity && read(identity.key),
    authorities: authorities && read(authorities),
  };
}

function read({ setting, path }: NamedFile): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UnusableFile(`${setting} must name a readable file`);
  }
}

/** Equal if no file has changed. It never leaves the process, since it contains the key. */
const fingerprintOf = (texts: Texts) => JSON.stringify(texts);

function materialOf({ identity, authorities }: TlsFiles, texts: Texts): TlsMaterial {
  const material: TlsMaterial = { minVersion: MIN_TLS_VERSION };
  if (authorities) material.ca = certificatesIn(authorities, texts.authorities ?? '').join('\n');
  if (!identity) return material;
  const [first = ''] = certificatesIn(identity.certificate, texts.certificate ?? '');
  const own = new X509Certificate(first);
  if (Date.parse(own.validTo) <= Date.now())
    throw new UnusableFile(`${identity.certificate.setting} names a certificate that has expired`);
  material.cert = texts.certificate;
  material.key = texts.key;
  if (!isUsable(material, own))
    throw new UnusableFile(`${identity.key.setting} must name the key of the certificate`);
  return material;
}

function isUsable(material: TlsMaterial, own: X509Certificate): boolean {
  try {
    createSecureContext(material);
    return own.checkPrivateKey(createPrivateKey(String(material.key)));
  } catch {
    return false;
  }
}

function certificatesIn({ setting }: NamedFile, pem: string): string[] {
  const found = pem.match(CERTIFICATE) ?? [];
  try {
    for (const one of found) new X509Certificate(one);
    if (found.length > 0) return found;
  } catch {}
  throw new UnusableFile(`${setting} must name a file with PEM certificates`);
}
