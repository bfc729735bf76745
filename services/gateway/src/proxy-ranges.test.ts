import { readEnvironment } from '@supplier/lib/runtime/config';
import { proxyRanges } from './proxy-ranges.ts';

/** Reads the setting outside of a local deployment. */
const trust = (ranges: string) => () =>
  readEnvironment({ SSS_TRUSTED_PROXIES: proxyRanges() }, { SSS_TRUSTED_PROXIES: ranges });

it.each([
  '0.0.0.0/0',
  '192.0.0.0/3',
  '160.0.0.0/3',
  '0.0.0.0/1,128.0.0.0/1',
  '8.0.0.0/7',
  '8.0.0.0/8,9.0.0.0/32',
  '9.0.0.0/32,8.0.0.0/8',
  '8.0.0.0/8,10.0.0.0/8,9.0.0.0/32',
  '168.0.0.0/5',
  '::/0',
  '::ffff:0:0/96',
  '::ffff:8.0.0.0/103',
  '64:ff9b::/96',
  '64:ff9b::8.0.0.0/103',
  '64:ff9b:1::/48',
  '2000::/18',
  '2000::/19,2001:2000::/128',
])('proxies in %s, where anyone may be, are refused', (ranges) => {
  expect(trust(ranges)).toThrow('allows anyone to claim any address');
});

it.each([
  '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
  '8.0.0.0/8',
  '8.0.0.0/9,8.128.0.0/9',
  '8.0.0.0/8,8.0.0.0/9,8.1.2.3/32',
  '126.0.0.0/7',
  '224.0.0.0/3',
  'fc00::/7',
  '2000::/19',
  '64:ff9b::10.0.0.0/104',
])('proxies in %s are accepted', (ranges) => {
  expect(trust(ranges)()).toEqual({ SSS_TRUSTED_PROXIES: ranges.split(',') });
});
