import { addressesIn, clientAddress } from './index.ts';

const isProxy = addressesIn(['10.0.0.0/8', 'fd00::/8']);
const addressOf = (remoteAddress: string, forwarded?: string) =>
  clientAddress(
    { socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } },
    isProxy,
  );

describe('clientAddress', () => {
  it.each([
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['fd00::1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['10.0.0.1', '192.0.2.1 ,10.0.0.3,10.0.0.2', '192.0.2.1'],
  ])('looks behind trusted proxies: %s, %s', (remote, forwarded, expected) => {
    expect(addressOf(remote, forwarded)).toBe(expected);
  });

  it.each([
    ['192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['192.0.2.1', '10.0.0.1', '192.0.2.1'],
    ['10.0.0.1', '198.51.100.1, 192.0.2.1', '192.0.2.1'],
    ['10.0.0.1', '10.0.0.2, 192.0.2.1, 10.0.0.3', '192.0.2.1'],
    ['10.0.0.1', '198.51.100.1, nonsense', 'nonsense'],
  ])('ignores addresses that the client may have made up: %s, %s', (remote, forwarded, expected) => {
    expect(addressOf(remote, forwarded)).toBe(expected);
  });

  it.each([
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', ' , ', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ])(
    'returns the furthest proxy when no other address is behind it: %s, %s',
    (remote, forwarded, expected) => {
      expect(addressOf(remote, forwarded)).toBe(expected);
    },
  );
});
