import { readConfig } from './config.ts';

const REQUIRED = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '7001',
  SSS_RPC_H2C_PORT: '7002',
  SSS_DATABASE_URL: 'postgresql://user@db/billing',
  SSS_NATS_URL: 'nats://bus:4222',
  SSS_ISSUERS_FILE: '/etc/issuers.json',
  SSS_SERVICE_TOKEN_DIR: '/etc/tokens',
  SSS_KEY_RING_FILE: '/etc/ring.json',
  SSS_EVENT_KEYS_DIR: '/nonexistent',
  SSS_ACCOUNT_URL: 'http://account:1/',
  SSS_SUBMISSION_URL: 'http://submission:1/',
};

it('readConfig reads the settings common to all services and the addresses of the services that billing calls', () => {
  expect(readConfig(REQUIRED)).toMatchObject({
    host: '127.0.0.1',
    databasePool: 10,
    accountUrl: 'http://account:1',
    submissionUrl: 'http://submission:1',
    logLevel: 'info',
    publishedDays: 7,
  });
  expect(() => readConfig({ ...REQUIRED, SSS_WORK_POOL: '8' })).toThrow(/SSS_WORK_POOL/);
  for (const name of ['SSS_ACCOUNT_URL', 'SSS_SUBMISSION_URL'])
    expect(() => readConfig({ ...REQUIRED, [name]: undefined })).toThrow(name);
});
