import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCertificates } from './certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('localCertificates', () => {
  it('makes a certificate for 127.0.0.1 that is trusted with its authority and with nothing else', async () => {
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

  it('keeps what is still good, and keeps the key for its owner only', async () => {
    const first = readFileSync((await localCertificates(folder)).certificate, 'utf8');
    const { certificate, key } = await localCertificates(folder);
    expect(readFileSync(certificate, 'utf8')).toBe(first);
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });
});
