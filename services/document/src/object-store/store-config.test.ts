import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '@supplier/lib/runtime/config';
import {
  storeConfig,
  storeVariables,
  uploadListenerConfig,
  uploadListenerVariables,
} from './store-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const local = { SSS_STORE: 'local', SSS_STORE_DIR: '/var/lib/documents' };
const listener = { SSS_UPLOAD_PORT: '8090', SSS_UPLOAD_URL: 'https://files.example.com/' };
const s3 = {
  SSS_STORE: 's3',
  SSS_S3_ENDPOINT: 'http://seaweed:8333/',
  SSS_S3_REGION: 'eu-west-2',
  SSS_S3_QUARANTINE_BUCKET: 'quarantine',
  SSS_S3_CLEAN_BUCKET: 'clean',
  SSS_S3_QUARANTINE_CREDENTIALS_FILE: file('q', { accessKeyId: 'q', secretAccessKey: 'hush' }),
  SSS_S3_CLEAN_CREDENTIALS_FILE: file('c', { accessKeyId: 'c', secretAccessKey: 'hush' }),
};

function read(env: Record<string, string | undefined>) {
  const values = readEnvironment(
    { ...storeVariables, ...uploadListenerVariables },
    { SSS_DEPLOYMENT: 'local', ...env },
  );
  return { store: storeConfig(values), uploads: uploadListenerConfig(values) };
}

describe('storeConfig', () => {
  it('reads a directory and a listener', () => {
    expect(read({ ...local, ...listener })).toEqual({
      store: { kind: 'local', directory: '/var/lib/documents' },
      uploads: { host: '127.0.0.1', port: 8090, publicUrl: 'https://files.example.com' },
    });
  });

  it('refuses the local store unless the deployment is marked as local or trial, and names S3 instead', () => {
    const settings = { ...local, ...listener };
    expect(() => read({ ...settings, SSS_DEPLOYMENT: undefined })).toThrow(
      /^bad configuration: SSS_STORE is local, .* trial installs only\. Set SSS_STORE=s3 and the SSS_S3_ settings/,
    );
    expect(read({ ...settings, SSS_DEPLOYMENT: 'trial' }).store).toMatchObject({ kind: 'local' });
    expect(() => read({ ...settings, SSS_DEPLOYMENT: 'production' })).toThrow('SSS_DEPLOYMENT is neither');
  });

  it('requires TLS in a trial install', () => {
    const plain = { ...s3, SSS_DEPLOYMENT: 'trial' };
    expect(() => read(plain)).toThrow('SSS_S3_ENDPOINT is a plain http: address');
  });

  it("reads two buckets and a role, with the region's security token service as the default", () => {
    const { SSS_S3_QUARANTINE_CREDENTIALS_FILE: keys, SSS_S3_CLEAN_CREDENTIALS_FILE: _, ...buckets } = s3;
    const role = 'arn:aws:iam::123456789012:role/leads-document';
    const withRole = { ...buckets, SSS_S3_ROLE: role, SSS_S3_ROLE_TOKEN_FILE: '/run/token' };
    expect(read(withRole).store).toMatchObject({
      access: {
        kind: 'role',
        role,
        tokenFile: '/run/token',
        stsUrl: 'https://sts.eu-west-2.amazonaws.com',
      },
    });
    const own = { ...withRole, SSS_S3_STS_URL: 'https://sts.example' };
    expect(read(own).store).toMatchObject({ access: { stsUrl: 'https://sts.example' } });
    expect(() => read({ ...withRole, SSS_S3_QUARANTINE_CREDENTIALS_FILE: keys })).toThrow(
      'SSS_S3_QUARANTINE_CREDENTIALS_FILE set, but SSS_S3_ROLE is, too',
    );
    expect(() => read({ ...withRole, SSS_S3_ROLE_TOKEN_FILE: undefined })).toThrow(
      'SSS_S3_ROLE_TOKEN_FILE is missing',
    );
    expect(() => read({ ...s3, SSS_S3_STS_URL: 'https://sts.example' })).toThrow('but SSS_S3_ROLE is not');
    expect(() => read({ ...withRole, SSS_S3_ROLE: 'leads-document' })).toThrow('is no ARN of a role');
    const plain = { ...own, SSS_DEPLOYMENT: undefined, SSS_S3_STS_URL: 'http://sts.example' };
    expect(() => read(plain)).toThrow('SSS_S3_STS_URL is a plain http: address');
  });

  it('reads two buckets with separate credentials, and the endpoint as the default public URL', () => {
    const { store, uploads } = read(s3);
    expect(store).toMatchObject({
      kind: 's3',
      publicUrl: 'http://seaweed:8333',
      access: { kind: 'keys', quarantine: { accessKeyId: 'q' }, clean: { accessKeyId: 'c' } },
    });
    expect(uploads).toBeUndefined();
    expect(read({ ...s3, SSS_S3_PUBLIC_URL: 'https://files.example.com' }).store).toMatchObject({
      endpoint: 'http://seaweed:8333',
      publicUrl: 'https://files.example.com',
    });
  });

  it.each([
    ['SSS_STORE is missing', listener],
    ['SSS_STORE is neither s3 nor local', { ...local, SSS_STORE: 'ftp' }],
    ['SSS_STORE_DIR is missing', { ...listener, SSS_STORE: 'local' }],
    ['SSS_UPLOAD_PORT is missing', local],
    ['SSS_UPLOAD_URL is missing', { ...local, SSS_UPLOAD_PORT: '1' }],
    ['SSS_S3_REGION set, but SSS_STORE is local', { ...local, ...listener, SSS_S3_REGION: 'x' }],
    ['SSS_STORE_DIR set, but SSS_STORE is s3', { ...s3, SSS_STORE_DIR: '/x' }],
    ['SSS_UPLOAD_PORT set, but SSS_STORE is s3', { ...s3, SSS_UPLOAD_PORT: '1' }],
    ['SSS_S3_REGION is missing', { ...s3, SSS_S3_REGION: undefined }],
    ['SSS_S3_CLEAN_BUCKET is the quarantine bucket', { ...s3, SSS_S3_CLEAN_BUCKET: 'quarantine' }],
    ['SSS_S3_CLEAN_BUCKET is not a bucket name', { ...s3, SSS_S3_CLEAN_BUCKET: '../x' }],
    ['SSS_S3_PUBLIC_URL has a path', { ...s3, SSS_S3_PUBLIC_URL: 'https://x/s3' }],
    ['must name a readable file', { ...s3, SSS_S3_CLEAN_CREDENTIALS_FILE: '/nowhere' }],
    [
      'must name a file with',
      { ...s3, SSS_S3_CLEAN_CREDENTIALS_FILE: file('bad', '{"accessKeyId":"hush"}') },
    ],
  ])('rejects the settings when %s', (message, env) => {
    expect(() => read(env)).toThrow(message);
    expect(() => read(env)).not.toThrow('hush');
  });
});
