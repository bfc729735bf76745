import { addressPolicy } from './address-policy.ts';
import { checkEndpointUrl } from './endpoint-url.ts';

const publicOnly = addressPolicy([]);
const localToo = addressPolicy(['127.0.0.0/8', '::1/128']);

/** Each accepted URL and the form it is stored in. */
const ACCEPTED: [given: string, stored: string][] = [
  ['https://hooks.example.com/webhooks', 'https://hooks.example.com/webhooks'],
  ['https://example.com', 'https://example.com/'],
  ['HTTPS://Hooks.Example.COM/Path?Key=Value', 'https://hooks.example.com/Path?Key=Value'],
  ['https://example.com:8443/x', 'https://example.com:8443/x'],
  ['https://example.com:443/x', 'https://example.com/x'],
  ['https://example.com./x', 'https://example.com./x'],
  ['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
  ['https://8.8.8.8/x', 'https://8.8.8.8/x'],
  ['https://134744072/x', 'https://8.8.8.8/x'],
  ['https://[2606:4700:4700::1111]/x', 'https://[2606:4700:4700::1111]/x'],
  ['https://example.com/a%20b', 'https://example.com/a%20b'],
  ['https://example.com/@me', 'https://example.com/@me'],
  ['https://example.com/?to=a@b', 'https://example.com/?to=a@b'],
  ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ['https://internal.example.com/', 'https://internal.example.com/'],
  ['https://notlocal.example/', 'https://notlocal.example/'],
  ['https://my_host.example.com/', 'https://my_host.example.com/'],
  ['https://127.0.0.1.nip.io/', 'https://127.0.0.1.nip.io/'],
  ['https://9.255.255.255/', 'https://9.255.255.255/'],
  ['https://11.0.0.0/', 'https://11.0.0.0/'],
  ['https://172.15.255.255/', 'https://172.15.255.255/'],
  ['https://172.32.0.0/', 'https://172.32.0.0/'],
];

const REFUSED = {
  'what is not https': [
    '',
    'hooks.example.com',
    '//example.com/x',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https:example.com/',
    'https:/example.com/',
    'https:///example.com/',
    'https://',
    'https://?x',
    'wss://example.com/',
  ],
  'what a parser would forgive': [
    ' https://example.com/',
    'https://example.com/ ',
    'https://exa\tmple.com/',
    'https://example.com/\n',
    'https:\\\\example.com\\x',
    'https://example.com\\@10.0.0.1/',
    'https://example.com/\u0000',
    'https://example.com/\u0085',
    'https://example.com/\u3000',
  ],
  credentials: [
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
    'https://@example.com/',
    'https://example.com@10.0.0.1/',
    'https://user%40x@example.com/',
  ],
  'a fragment': ['https://example.com/#', 'https://example.com/#x', 'https://example.com/x?y#z'],
  'a local or internal name': [
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://localhost../',
    'https://a.localhost/',
    'https://printer.local/',
    'https://printer.LOCAL./',
    'https://local/',
    'https://db.internal/',
    'https://db.internal../',
    'https://a.b.Internal/',
    'https://internal/',
    'https://ⓛocalhost/',
    'https://local%68ost/',
    'https://printer。local/',
  ],
  'a name that is not a public one': [
    'https://intranet/',
    'https://intranet./',
    'https://a..example.com/',
    'https://.example.com/',
    'https://.../',
    'https://exa mple.com/',
    'https://exa%00mple.com/',
    'https://exa<mple.com/',
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'a.'.repeat(126)}example/`,
    'https://example.com:0/',
    'https://example.com:65536/',
    'https://example.com:x/',
    'https://xn--a/',
  ],
  'an IPv4 address that is not public': [
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://127.255.255.255/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://①②⑦.⓪.⓪.①/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.0.0.0/',
    'https://10.255.255.255/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://172.16.0.0/',
    'https://172.31.255.255/',
    'https://192.0.2.1/',
    'https://192.168.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://256.0.0.1/',
    'https://1.2.3.4.5/',
    'https://0x100000000/',
  ],
  'an IPv6 address that is not public': [
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://[ff02::1]/',
    'https://[::1/',
  ],
} satisfies Record<string, string[]>;

describe('an endpoint URL', () => {
  it.each(ACCEPTED)('%s is accepted and stored as %s', (given, stored) => {
    expect(checkEndpointUrl(given, publicOnly)).toEqual({ ok: true, url: stored });
  });

  for (const [what, urls] of Object.entries(REFUSED)) {
    it.each(urls)(`is refused for ${what}: %j`, (url) => {
      expect(checkEndpointUrl(url, publicOnly)).toEqual({ ok: false, message: expect.any(String) });
    });
  }

  it('may have 2048 characters and not one more', () => {
    const longest = `https://example.com/${'x'.repeat(2_028)}`;
    expect(longest).toHaveLength(2_048);
    expect(checkEndpointUrl(longest, publicOnly).ok).toBe(true);
    expect(checkEndpointUrl(`${longest}x`, publicOnly).ok).toBe(false);
  });

  it('may not grow beyond 2048 characters when it is written out', () => {
    expect(checkEndpointUrl(`https://example.com/${'é'.repeat(1_000)}`, publicOnly).ok).toBe(false);
  });

  it('is told apart by a sentence that does not repeat it', () => {
    const check = checkEndpointUrl('https://user:hunter2@example.com/', publicOnly);
    expect(check).toEqual({ ok: false, message: 'must not contain credentials' });
  });
});

describe('an endpoint URL where an operator allows some addresses', () => {
  it.each(['https://127.0.0.1:9443/x', 'https://0x7f.1/', 'https://[::1]:9443/x'])(
    '%s is accepted',
    (url) => {
      expect(checkEndpointUrl(url, localToo).ok).toBe(true);
    },
  );

  it.each(['https://10.0.0.1/', 'https://localhost/', 'https://[::ffff:127.0.0.1]/', 'http://127.0.0.1/'])(
    '%s is still refused',
    (url) => {
      expect(checkEndpointUrl(url, localToo).ok).toBe(false);
    },
  );
});
