// The certificate library asks for this before anything else of it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate authority that lives as long as a test. */
export interface TestAuthority {
  /** Its own certificate, PEM. */
  readonly pem: string;
  /** A server certificate for IP addresses and host names, PEM; expired ones ended yesterday. */
  issue(names: {
    ips?: string[];
    hosts?: string[];
    expired?: boolean;
  }): Promise<{ cert: string; key: string }>;
}

/** Makes a certificate authority that nobody trusts yet. */
export async function makeTestAuthority(): Promise<TestAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test authority',
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    pem: authority.toString('pem'),
    async issue({ ips = [], hosts = [], expired = false }) {
      const serverKeys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
      const certificate = await x509.X509CertificateGenerator.create({
        subject: 'CN=Test receiver',
        issuer: authority.subject,
        notBefore: new Date(Date.now() - 2 * DAY_MS),
        notAfter: new Date(Date.now() + (expired ? -DAY_MS : DAY_MS)),
        publicKey: serverKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: SIGNING,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            ...ips.map((value) => ({ type: 'ip' as const, value })),
            ...hosts.map((value) => ({ type: 'dns' as const, value })),
          ]),
        ],
      });
      const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
      return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
    },
  };
}
