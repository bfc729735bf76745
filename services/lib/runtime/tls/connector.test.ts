import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { makeTestAuthority, startTestProcess } from '../../testing/index.ts';
import { tlsConnector, tlsFiles } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tls-connector-'));
const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(path(name), text);
const authority = await makeTestAuthority();
const [served, first, second] = [
  await authority.issue({ ips: ['127.0.0.1'] }),
  await authority.issue({ hosts: ['first'] }),
  await authority.issue({ hosts: ['second'] }),
];

/** Answers with the host in the client's certificate. */
const server = createServer(
  { ...served, ca: authority.pem, requestCert: true, rejectUnauthorized: true },
  ({ socket }, response) => {
    response.end((socket as TLSSocket).getPeerCertificate().subjectaltname);
  },
);
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function connectorOf(rereadMs: number, timeoutMs = 20_000) {
  write('own.pem', first.cert);
  write('own-key.pem', first.key);
  write('ca.pem', authority.pem);
  const files = tlsFiles({
    SSS_TLS_CERTIFICATE_FILE: path('own.pem'),
    SSS_TLS_KEY_FILE: path('own-key.pem'),
    SSS_TLS_CA_FILE: path('ca.pem'),
  });
  return tlsConnector(files, startTestProcess('account').log, timeoutMs, rereadMs);
}

/** Returns the client certificate's host as the server sees it on a new connection. */
async function seen(connect: ReturnType<typeof connectorOf>, port = (server.address() as AddressInfo).port) {
  const client = new Client(`https://127.0.0.1:${port}`, { connect });
  try {
    const { body } = await client.request({ method: 'GET', path: '/' });
    return await body.text();
  } finally {
    await client.destroy();
  }
}

it('the TLS connector uses renewed files from the next connection, and keeps the old ones while new ones are invalid', async () => {
  const connect = connectorOf(0);
  expect(await seen(connect)).toBe('DNS:first');
  write('own.pem', second.cert);
  expect(await seen(connect)).toBe('DNS:first');
  write('own-key.pem', second.key);
  // A resumed session would still present the previous certificate.
  for (const _ of [1, 2]) expect(await seen(connect)).toBe('DNS:second');
});

it('the TLS connector checks the files no more often than configured', async () => {
  const connect = connectorOf(3_600_000);
  expect(await seen(connect)).toBe('DNS:first');
  write('own.pem', second.cert);
  write('own-key.pem', second.key);
  expect(await seen(connect)).toBe('DNS:first');
});

it('the TLS connector gives up on a server that accepts and sends nothing', async () => {
  const silent = createPlainServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const connecting = seen(connectorOf(0, 500), (silent.address() as AddressInfo).port);
  await expect(connecting).rejects.toThrow('timeout: 500ms');
  await new Promise((resolve) => silent.close(resolve));
});
