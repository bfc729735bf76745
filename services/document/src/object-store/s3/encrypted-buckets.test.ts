import { ConfigError } from '@supplier/lib/runtime/config';
import { forAllTests } from '@supplier/lib/testing';
import { startFakeS3 } from '../../../testing/fake-s3.ts';
import { requireEncryptionAtRest } from '../index.ts';
import { StoreUnavailable } from '../object-store.ts';

/** A minimal S3 server that only reports the encryption of buckets. */
const answers = new Map<string, { status: number; body: string }>();
const s3 = forAllTests(() =>
  startFakeS3(({ url = '' }, response) => {
    const { status, body } = answers.get(url) ?? { status: 503, body: '' };
    response.writeHead(status).end(body);
  }),
);
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
    await expect(requireEncryptionAtRest(s3.config)).resolves.toBeUndefined();
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
      const refused = requireEncryptionAtRest(s3.config);
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
    await expect(requireEncryptionAtRest(s3.config)).rejects.toThrow(StoreUnavailable);
  });

  it('queries nothing for a local store', async () => {
    await expect(requireEncryptionAtRest({ kind: 'local', directory: '/nowhere' })).resolves.toBeUndefined();
  });
});
