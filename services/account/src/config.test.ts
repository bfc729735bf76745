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

describe('readConfig', () => {
  it('defaults the credential prefix to sss', () => {
    expect(readConfig(needed).credentialPrefix).toBe('sss');
    expect(readConfig({ ...needed, SSS_CREDENTIAL_PREFIX: 'acme' }).credentialPrefix).toBe('acme');
  });

  it.each(['', 'A', 'a_b', 'a'.repeat(17)])(
    'rejects the prefix "%s", which is not valid in a credential',
    (prefix) => {
      expect(() => readConfig({ ...needed, SSS_CREDENTIAL_PREFIX: prefix })).toThrow(/SSS_CREDENTIAL_PREFIX/);
    },
  );

  it('rejects an unknown variable', () => {
    expect(() => readConfig({ ...needed, SSS_CREDENTIAL_PREFX: 'sss' })).toThrow(/SSS_CREDENTIAL_PREFX/);
  });
});
