import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readIfPresent } from '../state/private-file.ts';
import type { CertificateOrder, Certificates } from './make-certificates.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RENEW_BEFORE_DAYS = 30;

/** The holders of certificates with TLS; `operator` is a client from outside. */
export const parts = [
  'account',
  'submission',
  'document',
  'scanner',
  'billing',
  'webhook',
  'gateway',
  'production',
  'nats',
  'postgres',
  'operator',
] as const;
export type Part = (typeof parts)[number];

/**
 * Creates a CA and a certificate for the webhook receiver, or keeps existing ones that are valid for another month. The
 * CA's key is discarded.
 */
export async function localCertificates(folder: string): Promise<Certificates> {
  const files = filesIn(folder, 'receiver');
  await ensure('Local webhook receiver authority', files.authority, [
    { name: 'localhost', asClient: false, files },
  ]);
  return files;
}

/** Does the same for calls between services: a separate CA, and a certificate for each part as client and server. */
export async function partCertificates(folder: string): Promise<Readonly<Record<Part, Certificates>>> {
  const files = Object.fromEntries(
    parts.map((part) => [part, filesIn(join(folder, 'parts'), part)]),
  ) as Record<Part, Certificates>;
  const orders = parts.map((name) => ({ name, asClient: true, files: files[name] }));
  await ensure('Local authority of the parts', files.operator.authority, orders);
  return files;
}

const filesIn = (folder: string, name: string): Certificates => ({
  authority: join(folder, 'authority.pem'),
  certificate: join(folder, `${name}.pem`),
  key: join(folder, `${name}-key.pem`),
});

async function ensure(name: string, authority: string, orders: readonly CertificateOrder[]): Promise<void> {
  if (orders.every(({ files }) => isGood({ ...files, authority }))) return;
  // Loaded on demand: the library is large, and rarely needed.
  const { makeCertificates } = await import('./make-certificates.ts');
  await makeCertificates(name, authority, orders);
}

function isGood(files: Certificates): boolean {
  const [authority, certificate, key] = [files.authority, files.certificate, files.key].map(readIfPresent);
  if (!authority || !certificate || !key) return false;
  const own = new X509Certificate(certificate);
  const isLasting = Date.parse(own.validTo) - Date.now() > RENEW_BEFORE_DAYS * DAY_MS;
  return isLasting && own.verify(new X509Certificate(authority).publicKey);
}
