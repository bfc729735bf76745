import { webcrypto } from 'node:crypto';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const DAYS = {
  'until yesterday': { from: -2, until: -1 },
  'until tomorrow': { from: -1, until: 1 },
  'from tomorrow': { from: 1, until: 2 },
  'for a year': { from: -1, until: 365 },
};

/** The names and validity of a server certificate. */
export interface CertificateOrder {
  readonly ips?: readonly string[];
  readonly hosts?: readonly string[];
  /** Yesterday to tomorrow by default. */
  readonly valid?: 'until yesterday' | 'from tomorrow' | 'for a year';
}

/** A certificate authority for the duration of a test. */
export interface TestAuthority {
  /** The authority's own certificate, PEM. */
  readonly pem: string;
  /** Issues a server certificate and its key, PEM. */
  issue(order: CertificateOrder): Promise<{ cert: string; key: string }>;
  /** Issues the same, but self-signed. */
  selfSigned(order: CertificateOrder): Promise<{ cert: string; key: string }>;
}

/** Creates a certificate authority that is not trusted yet. */
export async function makeTestAuthority(name = 'Test authority'): Promise<TestAuthority> {
  // Loaded on demand because few tests need this large library; it requires reflect-metadata to be loaded first.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);

  const contentOf = ({ ips = [], hosts = [], valid }: CertificateOrder) => {
    const { from, until } = DAYS[valid ?? 'until tomorrow'];
    return {
      notBefore: new Date(Date.now() + from * DAY_MS),
      notAfter: new Date(Date.now() + until * DAY_MS),
      signingAlgorithm: SIGNING,
      extensions: [
        new x509.SubjectAlternativeNameExtension([
          ...ips.map((value) => ({ type: 'ip' as const, value })),
          ...hosts.map((value) => ({ type: 'dns' as const, value })),
        ]),
      ],
    };
  };
  const pemOf = async (certificate: { toString(format: 'pem'): string }, { privateKey }: KeyPair) => {
    const key = await webcrypto.subtle.exportKey('pkcs8', privateKey);
    return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
  };

  const keys = await makeKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
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
    async issue(order) {
      const own = await makeKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        ...contentOf(order),
        subject: 'CN=Test receiver',
        issuer: authority.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
      });
      return pemOf(certificate, own);
    },
    async selfSigned(order) {
      const own = await makeKeys();
      const certificate = await x509.X509CertificateGenerator.createSelfSigned({
        ...contentOf(order),
        name: 'CN=Test receiver',
        keys: own,
      });
      return pemOf(certificate, own);
    },
  };
}

type KeyPair = webcrypto.CryptoKeyPair;
const makeKeys = (): Promise<KeyPair> => webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
