import { readConfig } from './config.ts';

const REQUIRED = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '1',
  SSS_RPC_H2C_PORT: '2',
  SSS_DATABASE_URL: 'postgres://localhost/document',
  SSS_NATS_URL: 'nats://localhost',
  SSS_ISSUERS_FILE: 'issuers.json',
  SSS_SERVICE_TOKEN_DIR: 'tokens',
  SSS_KEY_RING_FILE: 'ring.json',
  SSS_SUBMISSION_URL: 'http://localhost:9/',
  SSS_STORE: 'local',
  SSS_STORE_DIR: '/store',
  SSS_UPLOAD_PORT: '3',
  SSS_UPLOAD_URL: 'https://uploads.example',
};

describe('document service configuration', () => {
  it('uses the limits of the contract by default', () => {
    expect(readConfig(REQUIRED)).toMatchObject({
      submissionUrl: 'http://localhost:9',
      limits: {
        maxBytes: 26_214_400,
        perReference: 20,
        accountBytes: 53_687_091_200,
        uploadMinutes: 15,
        unfinalizedHours: 24,
        retentionDays: 2_190,
        unacceptedDays: 365,
        refusedDays: 30,
      },
    });
    expect(readConfig(REQUIRED).limits.contentTypes).toHaveLength(5);
  });

  it('allows fewer file types', () => {
    const SSS_DOCUMENT_CONTENT_TYPES = 'application/pdf, image/png';
    const { limits } = readConfig({ ...REQUIRED, SSS_DOCUMENT_CONTENT_TYPES });
    expect(limits.contentTypes).toEqual(['application/pdf', 'image/png']);
  });

  it.each([
    ['SSS_DOCUMENT_CONTENT_TYPES', 'application/zip'],
    ['SSS_DOCUMENT_CONTENT_TYPES', ''],
    ['SSS_MAX_DOCUMENT_BYTES', '0'],
    ['SSS_MAX_DOCUMENT_BYTES', '26 MiB'],
    ['SSS_DOCUMENTS_PER_REFERENCE', '0'],
    ['SSS_UNFINALIZED_HOURS', '-1'],
    ['SSS_SUBMISSION_URL', 'localhost'],
    ['SSS_CLAMD', 'tcp://localhost:1'],
    ['SSS_STORE', 'ftp'],
  ])('rejects %s = %j with a one-line error that names it', (name, value) => {
    expect(() => readConfig({ ...REQUIRED, [name]: value })).toThrow(
      new RegExp(`^bad configuration: .*${name}`),
    );
  });

  it('rejects links that would outlive the credentials of the role that signs them', () => {
    const { SSS_STORE_DIR: _, SSS_UPLOAD_PORT: __, SSS_UPLOAD_URL: ___, ...rest } = REQUIRED;
    const withRole = {
      ...{ ...rest, SSS_STORE: 's3', SSS_S3_ENDPOINT: 'https://s3.example', SSS_S3_REGION: 'eu-west-2' },
      ...{ SSS_S3_QUARANTINE_BUCKET: 'quarantine', SSS_S3_CLEAN_BUCKET: 'clean' },
      ...{ SSS_S3_ROLE: 'arn:aws:iam::123456789012:role/leads', SSS_S3_ROLE_TOKEN_FILE: '/run/token' },
    };
    expect(readConfig({ ...withRole, SSS_UPLOAD_MINUTES: '30' }).limits.uploadMinutes).toBe(30);
    expect(() => readConfig({ ...withRole, SSS_UPLOAD_MINUTES: '31' })).toThrow(
      'SSS_UPLOAD_MINUTES must be at most 30',
    );
  });

  it.each(['SSS_SUBMISSION_URL', 'SSS_STORE', 'SSS_STORE_DIR', 'SSS_UPLOAD_URL'])('requires %s', (name) => {
    const { [name as keyof typeof REQUIRED]: _, ...rest } = REQUIRED;
    expect(() => readConfig(rest)).toThrow(name);
  });
});
