import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestAuthority } from '@supplier/lib/testing';
import { readConfig } from './config.ts';

const COMPLETE = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '8551',
  SSS_RPC_H2C_PORT: '8552',
  SSS_DATABASE_URL: 'postgresql://localhost/webhook',
  SSS_NATS_URL: 'nats://localhost:4222',
  SSS_ISSUERS_FILE: '/etc/issuers.json',
  SSS_SERVICE_TOKEN_DIR: '/etc/tokens',
  SSS_KEY_RING_FILE: '/etc/key-keyRing.json',
  SSS_EVENT_KEYS_DIR: '/nonexistent',
  SSS_ACCOUNT_URL: 'http://localhost:8540/',
  SSS_SUBMISSION_URL: 'http://localhost:8541/',
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'webhook-config-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

describe('webhook service configuration', () => {
  it('allows no private address and trusts no additional authority by default', () => {
    expect(readConfig(COMPLETE)).toMatchObject({
      submissionUrl: 'http://localhost:8541',
      allowedCidrs: [],
      extraCaFile: undefined,
    });
  });

  it('keeps deliveries to a disabled endpoint for a day by default, in whole hours', () => {
    expect(readConfig(COMPLETE).pausedDeliveryHours).toBe(24);
    expect(readConfig({ ...COMPLETE, SSS_PAUSED_DELIVERY_HOURS: '2' }).pausedDeliveryHours).toBe(2);
    for (const hours of ['0', '1.5', '-1', '721', '']) {
      expect(() => readConfig({ ...COMPLETE, SSS_PAUSED_DELIVERY_HOURS: hours })).toThrow(
        'SSS_PAUSED_DELIVERY_HOURS',
      );
    }
  });

  it('keeps events for thirty days by default, in whole days', () => {
    expect(readConfig(COMPLETE).retentionDays).toBe(30);
    expect(readConfig({ ...COMPLETE, SSS_RETENTION_DAYS: '3650' }).retentionDays).toBe(3_650);
    for (const days of ['0', '7', '1.5', '-1', '3651', '']) {
      expect(() => readConfig({ ...COMPLETE, SSS_RETENTION_DAYS: days })).toThrow('SSS_RETENTION_DAYS');
    }
  });

  it('rejects a retention shorter than the time in which changes can be repeated', () => {
    const days = (retention: string, published: string, age: string) => ({
      ...COMPLETE,
      SSS_RETENTION_DAYS: retention,
      SSS_EVENT_RETENTION_DAYS: published,
      SSS_STREAM_MAX_AGE_DAYS: age,
    });
    expect(readConfig(days('16', '7', '7')).retentionDays).toBe(16);
    expect(readConfig(days('122', '90', '30')).retentionDays).toBe(122);
    for (const [retention, published, age] of [
      ['15', '7', '7'],
      ['121', '90', '30'],
      ['30', '20', '9'],
    ] as const)
      expect(() => readConfig(days(retention, published, age))).toThrow(
        /^bad configuration: SSS_RETENTION_DAYS must be at least \d+: /,
      );
  });

  it('accepts ranges and the text of an authority', async () => {
    const { pem } = await makeTestAuthority();
    const config = readConfig({
      ...COMPLETE,
      SSS_ALLOWED_CIDRS: '127.0.0.0/8, ::1/128',
      SSS_EXTRA_CA_FILE: file('authority.pem', pem),
    });
    expect(config.allowedCidrs).toEqual(['127.0.0.0/8', '::1/128']);
    expect(config.extraCaFile).toBe(pem);
  });

  it.each(['127.0.0.1', '127.0.0.0/33', '::1/129', 'localhost/8', '999.0.0.0/8'])(
    'rejects %s as a range',
    (range) => {
      expect(() => readConfig({ ...COMPLETE, SSS_ALLOWED_CIDRS: range })).toThrow(
        'SSS_ALLOWED_CIDRS is not a list of CIDR ranges',
      );
    },
  );

  it('accepts NAT64 prefixes, none by default, and rejects invalid ones', () => {
    expect(readConfig(COMPLETE).nat64Prefixes).toEqual([]);
    const prefixes = '2a01:db8:122:344::/64, 64:ff9b:1::/48';
    // Allowed outside a local stack too, because the embedded IPv4 address is checked.
    expect(readConfig({ ...COMPLETE, SSS_NAT64_PREFIXES: prefixes }).nat64Prefixes).toEqual([
      '2a01:db8:122:344::/64',
      '64:ff9b:1::/48',
    ]);
    for (const bad of ['64:ff9b::', '2a01:db8::/33', '10.0.0.0/32', '::ffff:0:0/96', 'nat64'])
      expect(() => readConfig({ ...COMPLETE, SSS_NAT64_PREFIXES: bad })).toThrow(
        'SSS_NAT64_PREFIXES must be a list of ',
      );
  });

  it('rejects an invalid authority', async () => {
    const { cert } = await (await makeTestAuthority()).issue({ hosts: ['receiver.test'] });
    for (const path of [file('text.pem', 'text'), file('leaf.pem', cert)]) {
      expect(() => readConfig({ ...COMPLETE, SSS_EXTRA_CA_FILE: path })).toThrow('SSS_EXTRA_CA_FILE');
    }
    expect(() => readConfig({ ...COMPLETE, SSS_EXTRA_CA_FILE: join(dir, 'absent') })).toThrow(
      'SSS_EXTRA_CA_FILE must name a readable file',
    );
  });

  it('rejects unknown settings', () => {
    expect(() => readConfig({ ...COMPLETE, SSS_ALLOWED_CIDR: '127.0.0.0/8' })).toThrow(
      'unknown SSS_ALLOWED_CIDR',
    );
  });
});
