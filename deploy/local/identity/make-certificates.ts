// The certificate library needs this first.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { writePrivateFile } from '../state/private-file.ts';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_DAYS = 365;

/** Paths of PEM files: a CA, and a certificate of it with its key. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** PEM texts. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  readonly name: string;
  readonly alsoNames?: readonly string[];
  readonly alsoAddresses?: readonly string[];
  /** Whether callers may present it, too. */
  readonly asClient: boolean;
}

/** Also valid for `localhost` and 127.0.0.1. */
export interface CertificateOrder extends Subject {
  readonly files: Omit<Certificates, 'authority'>;
}

/** Creates a CA and its certificates and writes them to the files. The CA's key is discarded. */
export async function makeCertificates(
  authorityName: string,
  authorityFile: string,
  orders: readonly CertificateOrder[],
): Promise<void> {
  const authority = await newAuthority(authorityName, LIFETIME_DAYS);
  for (const { files, ...order } of orders) {
    const subject = {
      ...order,
      alsoNames: ['localhost', ...(order.alsoNames ?? [])],
      alsoAddresses: ['127.0.0.1', ...(order.alsoAddresses ?? [])],
    };
    const { certificate, key } = await issue(authority, subject, LIFETIME_DAYS);
    writePrivateFile(files.key, key);
    writePrivateFile(files.certificate, certificate);
  }
  // Written last, so that the others exist when it does.
  writePrivateFile(authorityFile, authority.certificate);
}

/** Creates a CA for `issue`. */
export async function newAuthority(name: string, days: number): Promise<Credentials> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    ...validFor(days),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: authority.toString('pem'), key: await pemOf(keys.privateKey) };
}

/** Issues a certificate for servers, and for clients if the subject is one. */
export async function issue(authority: Credentials, subject: Subject, days: number): Promise<Credentials> {
  x509.cryptoProvider.set(webcrypto);
  const { name, alsoNames = [], alsoAddresses = [], asClient } = subject;
  const vouches = new x509.X509Certificate(authority.certificate);
  const [pkcs8] = x509.PemConverter.decode(authority.key);
  if (!pkcs8) throw new Error('cannot read the key of the authority: it is not PEM');
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, KEY, false, ['sign']);
  const own = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: vouches.subject,
    ...validFor(days),
    publicKey: own.publicKey,
    signingKey,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(asClient ? [serverAuth, clientAuth] : [serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...alsoAddresses.map((value) => ({ type: 'ip' as const, value })),
        ...[...new Set([name, ...alsoNames])].map((value) => ({ type: 'dns' as const, value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(await vouches.publicKey.export(webcrypto)),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(own.privateKey) };
}

const validFor = (days: number) => ({
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + days * DAY_MS),
});

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
