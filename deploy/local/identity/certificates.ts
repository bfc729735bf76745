import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readIfPresent } from '../state/private-file.ts';
import type { Certificates } from './make-certificates.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RENEW_BEFORE_DAYS = 30;

/**
 * Makes a certificate authority of this stack's own and a server certificate for the loopback address. What an earlier
 * start made is kept while it is good for another month. The authority's key is thrown away after use.
 */
export async function localCertificates(folder: string): Promise<Certificates> {
  const files = {
    authority: join(folder, 'authority.pem'),
    certificate: join(folder, 'receiver.pem'),
    key: join(folder, 'receiver-key.pem'),
  };
  if (isGood(files)) return files;
  // Loaded only when it is needed: the library is large, and most starts find what they need.
  const { makeCertificates } = await import('./make-certificates.ts');
  await makeCertificates(files);
  return files;
}

function isGood(files: Certificates): boolean {
  const [authority, certificate, key] = [files.authority, files.certificate, files.key].map(readIfPresent);
  if (!authority || !certificate || !key) return false;
  return Date.parse(new X509Certificate(certificate).validTo) - Date.now() > RENEW_BEFORE_DAYS * DAY_MS;
}
