import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCertificates, partCertificates, parts } from './certificates.ts';
import type { Certificates } from './make-certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('localCertificates', () => {
  it('creates a certificate for 127.0.0.1 that is trusted only through its authority', async () => {
    const { authority, certificate, key } = await localCertificates(folder);
    const server = createServer(
      { cert: readFileSync(certificate), key: readFileSync(key) },
      (_, response) => {
        response.end('here');
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const status = (ca?: Buffer) =>
      new Promise((resolve, reject) => {
        get({ port, host: '127.0.0.1', agent: false, ...(ca ? { ca } : {}) }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
    expect(await status(readFileSync(authority))).toBe(200);
    await expect(status()).rejects.toMatchObject({ code: expect.stringMatching(/CERT|LEAF|ISSUER/) });
    server.close().closeAllConnections();
  });

  it('keeps valid certificates, with keys readable only by their owner', async () => {
    const first = readFileSync((await localCertificates(folder)).certificate, 'utf8');
    const { certificate, key } = await localCertificates(folder);
    expect(readFileSync(certificate, 'utf8')).toBe(first);
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });
});

describe('partCertificates', () => {
  const made = partCertificates(folder);
  const read = async (part: keyof Awaited<typeof made>): Promise<Required<Certificates>> => {
    const { authority, certificate, key } = (await made)[part];
    const [ca, cert, own] = [authority, certificate, key].map((path) => readFileSync(path, 'utf8'));
    return { authority: ca ?? '', certificate: cert ?? '', key: own ?? '' };
  };

  it('gives each part its own certificate, for its name and this machine', async () => {
    const seen = new Set<string>();
    for (const part of parts) {
      const { authority, certificate } = await read(part);
      const own = new X509Certificate(certificate);
      seen.add(own.fingerprint256);
      expect(own.checkHost(part)).toBe(part);
      expect(own.checkIP('127.0.0.1')).toBe('127.0.0.1');
      expect(own.verify(new X509Certificate(authority).publicKey)).toBe(true);
    }
    expect(seen.size).toBe(parts.length);
    expect(statSync((await made).nats.key).mode & 0o777).toBe(0o600);
  });

  it('uses a different authority from the webhook receiver', async () => {
    const { authority } = await localCertificates(folder);
    const receivers = new X509Certificate(readFileSync(authority));
    expect(new X509Certificate((await read('account')).certificate).verify(receivers.publicKey)).toBe(false);
  });

  it('recreates all of them when one is missing, and otherwise none', async () => {
    const before = await read('account');
    await partCertificates(folder);
    expect(await read('account')).toEqual(before);
    rmSync((await made).nats.certificate);
    await partCertificates(folder);
    expect((await read('account')).certificate).not.toBe(before.certificate);
  });
});
