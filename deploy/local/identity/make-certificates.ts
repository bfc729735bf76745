// The certificate library asks for this before anything else of it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { writePrivateFile } from '../state/private-file.ts';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_DAYS = 365;

/** Paths of PEM files: an authority, and what somebody presents that it vouches for. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateOrder {
  /** Its DNS name, beside `localhost` and 127.0.0.1. */
  readonly name: string;
  /** Further DNS names and addresses. */
  readonly alsoNames?: readonly string[];
  readonly alsoAddresses?: readonly string[];
  /** The organisation of its subject, which says to some servers what the caller may do. */
  readonly organisation?: string;
  /** Whether callers may present it, too. */
  readonly asClient: boolean;
  readonly files: Omit<Certificates, 'authority'>;
}

/** Makes an authority and what it vouches for, and writes them to the files. The authority's key is thrown away. */
export async function makeCertificates(
  authorityName: string,
  authorityFile: string,
  orders: readonly CertificateOrder[],
): Promise<void> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const validity = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + LIFETIME_DAYS * DAY_MS),
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${authorityName}`,
    ...validity,
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  for (const order of orders) {
    const { name, asClient, files } = order;
    const names = ['localhost', ...(name === 'localhost' ? [] : [name]), ...(order.alsoNames ?? [])];
    const addresses = ['127.0.0.1', ...(order.alsoAddresses ?? [])];
    const own = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
    const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
    const certificate = await x509.X509CertificateGenerator.create({
      subject: order.organisation === undefined ? `CN=${name}` : `CN=${name}, O=${order.organisation}`,
      issuer: authority.subject,
      ...validity,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: SIGNING,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension(asClient ? [serverAuth, clientAuth] : [serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
          ...names.map((value) => ({ type: 'dns' as const, value })),
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', own.privateKey);
    writePrivateFile(files.key, x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'));
    writePrivateFile(files.certificate, certificate.toString('pem'));
  }
  // Written last: where it exists, the others do, too.
  writePrivateFile(authorityFile, authority.toString('pem'));
}
