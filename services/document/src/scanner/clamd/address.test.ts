import { clamdAddress } from './address.ts';

describe('clamdAddress', () => {
  it.each([
    ['tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
    ['tcp://clamd.internal:3310/', { host: 'clamd.internal', port: 3310 }],
    ['tcp://[::1]:3310', { host: '::1', port: 3310 }],
    ['unix:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['unix:///run/with%20space', { path: '/run/with space' }],
  ])('reads %s', (text, expected) => {
    expect(clamdAddress(text)).toEqual(expected);
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
  ])('refuses %j', (text) => {
    expect(clamdAddress(text)).toBeUndefined();
  });
});
