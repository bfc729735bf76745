import { once } from 'node:events';
import http from 'node:http';
import { ConfigError } from '@supplier/lib/runtime/config';
import { requireEncryptionAtRest } from '../index.ts';
import { StoreUnavailable } from '../object-store.ts';
import type { S3StoreConfig } from '../store-config.ts';

/** A minimal S3 server that only reports the encryption of buckets. */
const answers = new Map<string, { status: number; body: string }>();
const server = http.createServer(({ url = '' }, response) => {
  const { status, body } = answers.get(url) ?? { status: 503, body: '' };
  response.writeHead(status).end(body);
});
let config: S3StoreConfig;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const user = { accessKeyId: 'user', secretAccessKey: 'secret' };
  const buckets = { quarantineBucket: 'quarantine', cleanBucket: 'clean' };
  const access = { kind: 'keys', quarantine: user, clean: user } as const;
  config = { kind: 's3', endpoint, publicUrl: endpoint, region: 'r', ...buckets, access };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
beforeEach(() => {
  answers.set('/quarantine?encryption', sealing('AES256'));
  answers.set('/clean?encryption', sealing('aws:kms'));
});

const sealing = (algorithm: string) => ({
  status: 200,
  body:
    '<ServerSideEncryptionConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Rule>' +
    `<ApplyServerSideEncryptionByDefault><SSEAlgorithm>${algorithm}</SSEAlgorithm></ApplyServerSideEncryptionByDefault>` +
    '<BucketKeyEnabled>true</BucketKeyEnabled></Rule></ServerSideEncryptionConfiguration>',
});
const failing = (status: number, code: string) => ({
  status,
  body: `<Error><Code>${code}</Code><Message>no</Message></Error>`,
});

describe('requireEncryptionAtRest', () => {
  it('accepts buckets encrypted with keys of the store or of a key service', async () => {
    await expect(requireEncryptionAtRest(config)).resolves.toBeUndefined();
  });

  it.each([
    ['has no encryption', failing(404, 'ServerSideEncryptionConfigurationNotFoundError')],
    ['belongs to a store without encryption', failing(501, 'NotImplemented')],
    ['encrypts with an unknown method', sealing('ROT13')],
    ['returns something else', { status: 200, body: '<Other/>' }],
  ])('names the bucket when one %s', async (_what, answer) => {
    for (const bucket of ['quarantine', 'clean']) {
      const before = answers.get(`/${bucket}?encryption`);
      answers.set(`/${bucket}?encryption`, answer);
      const refused = requireEncryptionAtRest(config);
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(`bucket ${bucket} does not encrypt`);
      if (before) answers.set(`/${bucket}?encryption`, before);
    }
  });

  it.each([
    ['is unavailable', { status: 503, body: '' }],
    ['denies access to the setting', failing(403, 'AccessDenied')],
  ])('rejects with StoreUnavailable when the store %s', async (_what, answer) => {
    answers.set('/clean?encryption', answer);
    await expect(requireEncryptionAtRest(config)).rejects.toThrow(StoreUnavailable);
  });

  it('queries nothing for a local store', async () => {
    await expect(requireEncryptionAtRest({ kind: 'local', directory: '/nowhere' })).resolves.toBeUndefined();
  });
});
