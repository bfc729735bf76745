import { readScannerConfig } from './scanner-config.ts';

const env = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '1',
  SSS_RPC_H2C_PORT: '2',
  SSS_DATABASE_URL: 'postgres://localhost/document',
  SSS_NATS_URL: 'nats://localhost',
  SSS_ISSUERS_FILE: 'issuers',
  SSS_SERVICE_TOKEN_DIR: 'tokens',
  SSS_STORE: 'local',
  SSS_STORE_DIR: '/documents',
  SSS_CLAMD: 'tcp://127.0.0.1:3310',
};

describe('readScannerConfig', () => {
  it('requires official signatures of the last seven days by default', () => {
    const config = readScannerConfig(env);
    expect(config.signatures).toEqual({ maxAgeDays: 7, anySignatures: false });
    expect(config.content).toEqual({ refusePdfActions: true });
    expect(readScannerConfig({ ...env, SSS_REFUSE_PDF_ACTIONS: 'false' }).content).toEqual({
      refusePdfActions: false,
    });
    expect(config.maxDocumentBytes).toBe(26_214_400);
    expect(config.clamd).toEqual({ host: '127.0.0.1', port: 3310 });
    expect(config.store).toEqual({ kind: 'local', directory: '/documents' });
    expect(
      readScannerConfig({ ...env, SSS_SIGNATURE_MAX_AGE_DAYS: '2', SSS_SCAN_WITH_ANY_SIGNATURES: 'true' })
        .signatures,
    ).toEqual({ maxAgeDays: 2, anySignatures: true });
  });

  it.each([
    [{ SSS_CLAMD: 'localhost' }, 'SSS_CLAMD is neither tcp://host:port nor unix:///path'],
    [{ SSS_SIGNATURE_MAX_AGE_DAYS: '0' }, 'SSS_SIGNATURE_MAX_AGE_DAYS is not between 1 and 365'],
    [{ SSS_SCAN_WITH_ANY_SIGNATURES: 'yes' }, 'SSS_SCAN_WITH_ANY_SIGNATURES is neither true nor false'],
    [{ SSS_UPLOAD_PORT: '1' }, 'unknown SSS_UPLOAD_PORT'],
    [{ SSS_KEY_RING_FILE: 'ring' }, 'unknown SSS_KEY_RING_FILE'],
  ])('rejects %j', (changes, why) => {
    expect(() => readScannerConfig({ ...env, ...changes })).toThrow(`bad configuration: ${why}`);
  });

  it.each(['SSS_CLAMD', 'SSS_STORE', 'SSS_STORE_DIR'])('requires %s', (name) => {
    const others = Object.fromEntries(Object.entries(env).filter(([key]) => key !== name));
    expect(() => readScannerConfig(others)).toThrow(`bad configuration: ${name} is missing`);
  });

  it.each([
    ['tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
    ['tcp://clamd.internal:3310/', { host: 'clamd.internal', port: 3310 }],
    ['tcp://[::1]:3310', { host: '::1', port: 3310 }],
    ['unix:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['unix:///run/with%20space', { path: '/run/with space' }],
  ])('reads the address of clamd from %s', (SSS_CLAMD, expected) => {
    expect(readScannerConfig({ ...env, SSS_CLAMD }).clamd).toEqual(expected);
  });

  it.each([
    '',
    'clamd:3310',
    '127.0.0.1:3310',
    'tcp://127.0.0.1',
    'tcp://user@host:1',
    'tcp://host:1/path',
    'tcp://host:1?x=1',
    'unix://host/path',
    'unix:///',
    'http://host:1',
  ])('rejects %j as the address of clamd', (SSS_CLAMD) => {
    expect(() => readScannerConfig({ ...env, SSS_CLAMD })).toThrow('bad configuration: SSS_CLAMD');
  });
});
