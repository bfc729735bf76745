import { ConfigError } from '@supplier/lib/runtime/config';
import { Environment } from '@supplier/proto/common/v1/status';
import { readConfig } from './config.ts';

const env = {
  SSS_DEPLOYMENT: 'local',
  SSS_HTTP_PORT: '8080',
  SSS_PAGES_PORT: '8081',
  SSS_PRIVATE_PORT: '8082',
  SSS_ENVIRONMENT: 'sandbox',
  SSS_ACCOUNT_URL: 'http://account:1/',
  SSS_SUBMISSION_URL: 'http://submission:2',
  SSS_DOCUMENT_URL: 'http://document:3',
  SSS_NATS_URL: 'nats://nats:4222',
  SSS_SERVICE_TOKEN_DIR: '/run/tokens',
};

describe('readConfig', () => {
  it('applies defaults to optional variables', () => {
    expect(readConfig(env)).toEqual({
      host: '127.0.0.1',
      httpPort: 8080,
      pagesPort: 8081,
      privatePort: 8082,
      environment: Environment.SANDBOX,
      productionEnabled: false,
      open: true,
      accountUrl: 'http://account:1',
      submissionUrl: 'http://submission:2',
      documentUrl: 'http://document:3',
      nats: { url: 'nats://nats:4222', tlsFirst: false },
      serviceTokenDir: '/run/tokens',
      tls: {},
      credentialPrefix: 'sss',
      screeningProvider: 'screening_provider',
      trustedProxies: [],
      hstsMaxAgeSeconds: 0,
      limitsDatabaseUrl: undefined,
      writesPerMinute: 120,
      readsPerMinute: 300,
      addressPerMinute: 6000,
      failedAuthentications: 10,
      connectionsPerAddress: 200,
      logLevel: 'info',
    });
  });

  it('keeps production closed until it is enabled', () => {
    const production = { ...env, SSS_ENVIRONMENT: 'production' };
    expect(readConfig(production)).toMatchObject({ environment: Environment.PRODUCTION, open: false });
    expect(readConfig({ ...production, SSS_PRODUCTION_ENABLED: 'true' }).open).toBe(true);
    expect(readConfig({ ...env, SSS_PRODUCTION_ENABLED: 'false' }).open).toBe(true);
  });

  it.each([
    { SSS_ENVIRONMENT: 'staging' },
    { SSS_CREDENTIAL_PREFIX: 'a_b' },
    { SSS_CONNECTIONS_PER_ADDRESS: '0' },
    { SSS_CONNECTIONS_PER_ADDRESS: '10001' },
    { SSS_SCREENING_PROVIDER: '' },
    { SSS_TRUSTED_PROXIES: 'all' },
    { SSS_PRODUCTION_ENABLED: '1' },
    { SSS_DATABASE_URL: 'postgres://x/y' },
    { SSS_LIMITS_DATABASE_URL: 'http://x/y' },
    { SSS_WRITES_PER_MINUTE: '0' },
    { SSS_ADDRESS_PER_MINUTE: '1.5' },
    { SSS_FAILED_AUTHENTICATIONS: 'none' },
  ])('refuses to start with %j', (changes) => {
    expect(() => readConfig({ ...env, ...changes })).toThrow(ConfigError);
  });
});
