import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { makeTestAuthority } from '@supplier/lib/testing';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'encryption-required-'));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const authority = await makeTestAuthority();
/** A minimal S3 server that only reports whether a bucket encrypts. */
const encrypting = new Set<string>();
const store = createServer(await authority.issue({ hosts: ['localhost'] }), ({ url = '' }, response) => {
  if (encrypting.has(url.split(/[/?]/)[1] ?? '')) {
    const rule = '<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>';
    const body = `<ServerSideEncryptionConfiguration><Rule>${rule}</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`;
    response.writeHead(200).end(body);
  } else {
    const code = 'ServerSideEncryptionConfigurationNotFoundError';
    response.writeHead(404).end(`<Error><Code>${code}</Code></Error>`);
  }
});

let settings: NodeJS.ProcessEnv;
beforeAll(async () => {
  await once(store.listen(0, '127.0.0.1'), 'listening');
  const credentials = file('s3.json', JSON.stringify({ accessKeyId: 'a', secretAccessKey: 's' }));
  const { cert, key } = await authority.issue({ hosts: ['document'] });
  settings = {
    PATH: process.env.PATH,
    NODE_EXTRA_CA_CERTS: file('ca.pem', authority.pem),
    SSS_RPC_PORT: '1',
    SSS_PRIVATE_PORT: '2',
    SSS_TLS_CERTIFICATE_FILE: file('own.pem', cert),
    SSS_TLS_KEY_FILE: file('own-key.pem', key),
    SSS_DATABASE_URL: 'postgresql://localhost:1/document?sslmode=verify-full',
    SSS_NATS_URL: 'tls://localhost:1',
    SSS_NATS_CREDENTIALS_FILE: file('nats.json', '{"user": "u", "password": "p"}'),
    SSS_ISSUERS_FILE: file('issuers.json', '[]'),
    SSS_SERVICE_TOKEN_DIR: folder,
    SSS_STORE: 's3',
    SSS_S3_ENDPOINT: `https://localhost:${(store.address() as AddressInfo).port}`,
    SSS_S3_REGION: 'eu-west-2',
    SSS_S3_QUARANTINE_BUCKET: 'quarantine',
    SSS_S3_CLEAN_BUCKET: 'clean',
    SSS_S3_QUARANTINE_CREDENTIALS_FILE: credentials,
    SSS_S3_CLEAN_CREDENTIALS_FILE: credentials,
  };
});
afterAll(() => {
  store.closeAllConnections();
  store.close();
  rmSync(folder, { recursive: true });
});

/** The exit code and output of a process; it always exits, because key ring or issuers are missing. */
async function startOf(program: 'main' | 'scanner'): Promise<{ code: number; said: string }> {
  const own =
    program === 'main'
      ? { SSS_SUBMISSION_URL: 'https://localhost:1', SSS_KEY_RING_FILE: join(folder, 'no-ring.json') }
      : { SSS_CLAMD: 'tcp://localhost:1' };
  const entry = fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, [entry], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings, ...own },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  return { code, said };
}

const startOfBoth = () => Promise.all([startOf('main'), startOf('scanner')]);

describe('start of a process that stores documents, outside a local stack', () => {
  it.each(['quarantine', 'clean'])('exits when bucket %s does not encrypt', async (bucket) => {
    for (const each of ['quarantine', 'clean']) encrypting.add(each);
    encrypting.delete(bucket);
    for (const { code, said } of await startOfBoth()) {
      expect(said).toContain(`bad configuration: bucket ${bucket} does not encrypt its objects`);
      expect(code).toBe(78);
    }
  });

  it('continues when both buckets encrypt', async () => {
    for (const each of ['quarantine', 'clean']) encrypting.add(each);
    for (const { said } of await startOfBoth()) expect(said).toMatch(/SSS_(KEY_RING|ISSUERS)_FILE/);
  });
});
