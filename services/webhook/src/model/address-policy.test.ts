import { addressPolicy, isCidr, isNat64Prefix } from './address-policy.ts';

/** The last address before each refused range, its first and last, and the first after it; '' if there is none. */
const RANGES: [what: string, before: string, first: string, last: string, after: string][] = [
  ['this network', '', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['private 10/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['carrier-grade NAT', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['loopback', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['link-local', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['private 172.16/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['protocol assignments', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['documentation 1', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['6to4 relays', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['private 192.168/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['benchmarking', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['documentation 2', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['documentation 3', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['multicast, reserved and broadcast', '223.255.255.255', '224.0.0.0', '255.255.255.255', ''],
  [
    'Teredo and its block',
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  [
    'IPv6 documentation',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  [
    '6to4',
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2003::',
  ],
  [
    'IPv6 documentation 2',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ],
];

const REFUSED: [what: string, address: string][] = [
  ['the metadata address', '169.254.169.254'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 unspecified', '::'],
  ['IPv6 loopback', '::1'],
  ['IPv4-compatible', '::8.8.8.8'],
  ['IPv4-mapped private', '::ffff:10.0.0.1'],
  ['IPv4-mapped public', '::ffff:8.8.8.8'],
  ['IPv4-mapped in hex', '::ffff:7f00:1'],
  ['IPv4-translated', '::ffff:0:8.8.8.8'],
  ['local NAT64', '64:ff9b:1::1'],
  ['local NAT64 of a public address', '64:ff9b:1::8.8.8.8'],
  ['discard', '100::1'],
  ['below global unicast', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['above global unicast', '4000::'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fd12:3456:789a::1'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['public with a zone', '2606:4700::1111%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['a name', 'localhost'],
  ['nothing', ''],
  ['a number', '2130706433'],
  ['a short form', '127.1'],
  ['an octal form', '0177.0.0.1'],
];

const ADMITTED: [what: string, address: string][] = [
  ['a public IPv4 address', '8.8.8.8'],
  ['a public IPv6 address', '2606:4700:4700::1111'],
  ['the last global unicast address', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

describe('address policy without exceptions', () => {
  const policy = addressPolicy([]);

  it.each(RANGES)('refuses %s and admits its neighbours', (_what, before, first, last, after) => {
    expect(policy.admits(first)).toBe(false);
    expect(policy.admits(last)).toBe(false);
    if (before) expect(policy.admits(before)).toBe(true);
    if (after) expect(policy.admits(after)).toBe(true);
  });

  it.each(REFUSED)('refuses %s', (_what, address) => {
    expect(policy.admits(address)).toBe(false);
  });

  it.each(ADMITTED)('admits %s', (_what, address) => {
    expect(policy.admits(address)).toBe(true);
  });
});

describe('address policy with an allow-list', () => {
  const policy = addressPolicy(['127.0.0.0/8', '::1/128']);

  it('admits the listed addresses', () => {
    expect(policy.admits('127.0.0.1')).toBe(true);
    expect(policy.admits('::1')).toBe(true);
  });

  it('still refuses everything else', () => {
    expect(policy.admits('10.0.0.1')).toBe(false);
    expect(policy.admits('::2')).toBe(false);
  });

  it('does not admit a second spelling of an allowed address', () => {
    expect(policy.admits('::ffff:127.0.0.1')).toBe(false);
    expect(policy.admits('::127.0.0.1')).toBe(false);
  });

  it.each(['127.0.0.0/8', '::1/128'])('can be built from %s', (range) => {
    expect(isCidr(range)).toBe(true);
    expect(() => addressPolicy([range])).not.toThrow();
  });

  it.each(['127.0.0.0/33', 'localhost/8', '127.0.0.1', ''])('cannot be built from %j', (range) => {
    expect(isCidr(range)).toBe(false);
    expect(() => addressPolicy([range])).toThrow();
  });
});

/** The NAT64 form of an IPv4 address under prefixes of each length, as in RFC 6052, section 2.4. */
const FORMS: Readonly<Record<string, (a: string, b: string, c: string, d: string) => string>> = {
  '2a02:db8::/32': (a, b, c, d) => `2a02:db8:${a}${b}:${c}${d}::`,
  '2a01:db8:100::/40': (a, b, c, d) => `2a01:db8:1${a}:${b}${c}:00${d}::`,
  '2a01:db8:122::/48': (a, b, c, d) => `2a01:db8:122:${a}${b}:00${c}:${d}00::`,
  '2a01:db8:122:300::/56': (a, b, c, d) => `2a01:db8:122:3${a}:00${b}:${c}${d}::`,
  '2a01:db8:122:344::/64': (a, b, c, d) => `2a01:db8:122:344:00${a}:${b}${c}:${d}00:0`,
  '2a01:db8:122:344::/96': (a, b, c, d) => `2a01:db8:122:344:0:0:${a}${b}:${c}${d}`,
  'fd00:64::/96': (a, b, c, d) => `fd00:64::${a}${b}:${c}${d}`,
  '64:ff9b:1::/48': (a, b, c, d) => `64:ff9b:1:${a}${b}:00${c}:${d}00::`,
  '64:ff9b:1:fffe::/96': (a, b, c, d) => `64:ff9b:1:fffe::${a}${b}:${c}${d}`,
};

/** Returns the address under the prefix; the well-known one needs no configuration. */
function nat64Form(prefix: string, ipv4: string): string {
  const [a = '', b = '', c = '', d = ''] = ipv4
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'));
  return FORMS[prefix]?.(a, b, c, d) ?? `64:ff9b::${a}${b}:${c}${d}`;
}

describe('address policy in a network with NAT64', () => {
  const configured = addressPolicy([], Object.keys(FORMS));
  const plain = addressPolicy([]);

  it.each(['64:ff9b::/96', ...Object.keys(FORMS)])(
    'checks an address in %s by its IPv4 address',
    (prefix) => {
      const policy = prefix === '64:ff9b::/96' ? plain : addressPolicy([], [prefix]);
      for (const ipv4 of ['8.8.8.8', '192.0.1.33', '1.0.0.0', '223.255.255.255'])
        for (const each of [policy, configured])
          expect([ipv4, each.admits(nat64Form(prefix, ipv4))]).toEqual([ipv4, true]);
      const special = RANGES.flatMap(([, , first, last]) => [first, last]).filter((each) =>
        each.includes('.'),
      );
      for (const ipv4 of [...special, '169.254.169.254', '127.0.0.1'])
        for (const each of [policy, configured])
          expect([ipv4, each.admits(nat64Form(prefix, ipv4))]).toEqual([ipv4, false]);
    },
  );

  it('uses the longest prefix', () => {
    const nested = addressPolicy([], ['2a01:db8::/32', '2a01:db8:808:808::/96']);
    expect(nested.admits('2a01:db8:808:808::')).toBe(false);
    expect(nested.admits('2a01:db8:808:808::808:808')).toBe(true);
    expect(nested.admits('2a01:db8:808:809::')).toBe(true);
  });

  it.each([
    ['a host behind the IPv4 address', '2a01:db8:808:808:0:0:0:1'],
    ['a nonzero reserved byte', '2a01:db8:808:808:100::'],
  ])('refuses an address with %s', (_what, address) => {
    expect(addressPolicy([], ['2a01:db8::/32']).admits(address)).toBe(false);
  });

  it('refuses unique local and local NAT64 addresses outside the prefixes', () => {
    expect(configured.admits('fd00:65::808:808')).toBe(false);
    expect(addressPolicy([], ['64:ff9b:1:fffe::/96']).admits('64:ff9b:1:ffff::808:808')).toBe(false);
  });

  it('refuses a private IPv4 address in NAT64 form even if its IPv4 range is allowed', () => {
    expect(addressPolicy(['10.0.0.0/8']).admits('64:ff9b::10.0.0.1')).toBe(false);
  });

  it.each([
    '64:ff9b::', // no length
    '64:ff9b:1::/95',
    '64:ff9b:1::/128',
    '2a01:db8::/33',
    '2a01:db8:1::/32', // bits after the prefix
    '2a01:db8:0:0:100::/96', // bits 64 to 71
    '::/96',
    '::ffff:0:0/96',
    'fe80::/64',
    'ff00::/32',
    '10.0.0.0/32',
    'nat64.example/96',
    '',
  ])('rejects %s as a prefix', (prefix) => {
    expect(isNat64Prefix(prefix)).toBe(false);
    expect(() => addressPolicy([], [prefix])).toThrow();
  });
});
