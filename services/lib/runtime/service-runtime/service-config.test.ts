import { readEnvironment } from '../config/index.ts';
import { serviceConfig, serviceVariables } from './index.ts';

const common = {
  SSS_DEPLOYMENT: 'local',
  SSS_DATABASE_URL: 'postgresql://localhost/x',
  SSS_NATS_URL: 'nats://localhost',
  SSS_ISSUERS_FILE: 'issuers',
  SSS_SERVICE_TOKEN_DIR: 'tokens',
  SSS_KEY_RING_FILE: 'ring',
};
const plain = { ...common, SSS_RPC_HTTP1_PORT: '1', SSS_RPC_H2C_PORT: '2' };
const tls = {
  ...common,
  SSS_RPC_PORT: '3',
  SSS_PRIVATE_PORT: '4',
  SSS_TLS_CERTIFICATE_FILE: '/own.pem',
  SSS_TLS_KEY_FILE: '/own-key.pem',
};
const read = (env: Record<string, string | undefined>) =>
  serviceConfig(readEnvironment(serviceVariables, env));
const without = (env: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(env).filter(([key]) => key !== name));

describe('RPC listeners', () => {
  it('use two ports without TLS, or one with TLS and a private one', () => {
    expect(read(plain).rpc).toEqual({ http1Port: 1, h2cPort: 2 });
    const identity = {
      certificate: { setting: 'SSS_TLS_CERTIFICATE_FILE', path: '/own.pem' },
      key: { setting: 'SSS_TLS_KEY_FILE', path: '/own-key.pem' },
    };
    expect(read(tls).rpc).toEqual({ port: 3, privatePort: 4, identity, callerAuthorities: undefined });
    expect(read({ ...tls, SSS_TLS_CLIENT_CA_FILE: '/ca.pem' }).rpc).toMatchObject({
      callerAuthorities: { setting: 'SSS_TLS_CLIENT_CA_FILE', path: '/ca.pem' },
    });
  });

  it.each([
    [without(plain, 'SSS_RPC_HTTP1_PORT'), 'SSS_RPC_HTTP1_PORT is missing'],
    [without(plain, 'SSS_RPC_H2C_PORT'), 'SSS_RPC_H2C_PORT is missing'],
    [without(tls, 'SSS_RPC_PORT'), 'SSS_RPC_PORT is missing'],
    [without(tls, 'SSS_PRIVATE_PORT'), 'SSS_PRIVATE_PORT is missing'],
    [without(tls, 'SSS_TLS_KEY_FILE'), 'SSS_TLS_KEY_FILE is missing'],
    [{ ...tls, SSS_RPC_H2C_PORT: '2' }, 'SSS_RPC_H2C_PORT is set, but RPC uses TLS'],
    [{ ...plain, SSS_RPC_PORT: '3' }, 'SSS_RPC_PORT is set, but SSS_TLS_CERTIFICATE_FILE is not'],
    // A process that asks callers for certificates would get none.
    [
      { ...plain, SSS_TLS_CLIENT_CA_FILE: '/ca.pem' },
      'SSS_TLS_CLIENT_CA_FILE is set, but SSS_TLS_CERTIFICATE_FILE is not',
    ],
  ])('reject a mix of both: %j', (env, why) => {
    expect(() => read(env)).toThrow(`bad configuration: ${why}`);
  });
});

describe('the share of staff', () => {
  const share = (env: Record<string, string>) => read({ ...plain, ...env }).staffCalls;

  it.each([
    ['2', 1, 1],
    ['5', 2, 1],
    ['10', 4, 2],
    ['200', 80, 40],
  ])(
    'is two fifths of a pool of %s, with half of that for one person',
    (pool, inFlight, inFlightPerPerson) => {
      expect(share({ SSS_DATABASE_POOL: pool })).toEqual({ inFlight, inFlightPerPerson, maxWaitMs: 5_000 });
    },
  );

  it('can be set', () => {
    const env = {
      SSS_STAFF_CALLS_IN_FLIGHT: '9',
      SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON: '9',
      SSS_STAFF_CALL_WAIT_SECONDS: '2',
    };
    expect(share(env)).toEqual({ inFlight: 9, inFlightPerPerson: 9, maxWaitMs: 2_000 });
  });

  it.each([
    [
      { SSS_STAFF_CALLS_IN_FLIGHT: '10' },
      'SSS_STAFF_CALLS_IN_FLIGHT must be less than SSS_DATABASE_POOL (10), because suppliers need the rest',
    ],
    [
      { SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON: '5' },
      'SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON must be at most SSS_STAFF_CALLS_IN_FLIGHT, 4',
    ],
  ])('is limited so that suppliers get the rest: %j', (env, why) => {
    expect(() => share(env)).toThrow(`bad configuration: ${why}`);
  });
});

it('the clock tolerance is 30 s by default', () => {
  expect(read(plain).clockToleranceS).toBe(30);
  expect(read({ ...plain, SSS_TOKEN_CLOCK_TOLERANCE_SECONDS: '0' }).clockToleranceS).toBe(0);
  expect(() => read({ ...plain, SSS_TOKEN_CLOCK_TOLERANCE_SECONDS: '301' })).toThrow(
    'SSS_TOKEN_CLOCK_TOLERANCE_SECONDS',
  );
});
