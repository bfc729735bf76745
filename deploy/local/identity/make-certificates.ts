// The certificate library asks for this before anything else of it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { writePrivateFile } from '../state/private-file.ts';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_DAYS = 365;

/** Paths of PEM files: the local authority, and what the webhook receiver presents. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes an authority and a server certificate signed by it, and writes them to the files. */
export async function makeCertificates(files: Certificates): Promise<void> {
  x509.cryptoProvider.set(webcrypto);
  const authorityKeys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const serverKeys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const validity = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + LIFETIME_DAYS * DAY_MS),
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Local webhook receiver authority',
    ...validity,
    keys: authorityKeys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=127.0.0.1',
    issuer: authority.subject,
    ...validity,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  writePrivateFile(files.key, x509.PemConverter.encode(key, 'PRIVATE KEY'));
  writePrivateFile(files.certificate, certificate.toString('pem'));
  writePrivateFile(files.authority, authority.toString('pem'));
}
