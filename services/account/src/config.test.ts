import { readConfig } from './config.ts';

const needed = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '7001',
  SSS_RPC_H2C_PORT: '7002',
  SSS_DATABASE_URL: 'postgresql://user@db/account',
  SSS_NATS_URL: 'nats://bus:4222',
  SSS_ISSUERS_FILE: '/etc/issuers.json',
  SSS_SERVICE_TOKEN_DIR: '/etc/tokens',
  SSS_KEY_RING_FILE: '/etc/ring.json',
};

describe('the configuration of the account service', () => {
  it('issues credentials that begin with sss by default', () => {
    expect(readConfig(needed).credentialPrefix).toBe('sss');
    expect(readConfig({ ...needed, SSS_CREDENTIAL_PREFIX: 'acme' }).credentialPrefix).toBe('acme');
  });

  it.each(['', 'A', 'a_b', 'a'.repeat(17)])(
    'refuses the prefix "%s", which no credential could carry',
    (prefix) => {
      expect(() => readConfig({ ...needed, SSS_CREDENTIAL_PREFIX: prefix })).toThrow(/SSS_CREDENTIAL_PREFIX/);
    },
  );

  it('refuses a variable it does not know', () => {
    expect(() => readConfig({ ...needed, SSS_CREDENTIAL_PREFX: 'sss' })).toThrow(/SSS_CREDENTIAL_PREFX/);
  });
});
