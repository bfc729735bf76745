import { ADDRESSES } from '../../testing/endpoint-url-addresses.ts';
import { answerOf } from '../../testing/endpoint-url-cases.ts';
import { TEXTS_AND_NAMES } from '../../testing/endpoint-url-names.ts';
import { addressPolicy } from './address-policy.ts';
import { checkEndpointUrl } from './endpoint-url.ts';

const publicOnly = addressPolicy([]);
const localToo = addressPolicy(['127.0.0.0/8', '::1/128']);
const CASES = Object.entries({ ...TEXTS_AND_NAMES, ...ADDRESSES });

describe('endpoint URL when only public addresses are allowed', () => {
  describe.each(CASES)('%s', (_what, cases) => {
    it.each(cases)('%j: %j', (...one) => {
      expect(checkEndpointUrl(one[0], publicOnly)).toEqual(answerOf(one));
    });
  });

  it('is tested with at least 120 different cases, both accepted and refused', () => {
    const all = CASES.flatMap(([, cases]) => cases);
    const urls = new Set(all.map(([url]) => url));
    expect(urls.size).toBe(all.length);
    expect(urls.size).toBeGreaterThanOrEqual(120);
    const accepted = all.filter(([, expected]) => typeof expected === 'string');
    expect(accepted.length).toBeGreaterThanOrEqual(40);
    expect(all.length - accepted.length).toBeGreaterThanOrEqual(120);
  });

  it('is accepted again in its stored form after it was accepted', () => {
    for (const one of CASES.flatMap(([, cases]) => cases)) {
      const answer = answerOf(one);
      if (answer.ok) expect(checkEndpointUrl(answer.url, publicOnly)).toEqual(answer);
    }
  });
});

describe('endpoint URL that contains another URL', () => {
  it.each([
    'https://example.com/https://user@10.0.0.1/',
    'https://example.com/?next=https://example.net/a%20b',
  ])('%s is accepted, because only its own host counts', (url) => {
    expect(checkEndpointUrl(url, publicOnly)).toEqual({ ok: true, url });
  });

  it.each(['http://example.com/https://example.com/', 'ftp://example.com/?https://example.com/'])(
    '%s is refused, because its own scheme counts',
    (url) => {
      expect(checkEndpointUrl(url, publicOnly)).toEqual({
        ok: false,
        message: 'must begin with https:// and a host',
      });
    },
  );
});

describe('endpoint URL length', () => {
  const TOO_LONG = { ok: false, message: 'must have at most 2048 characters' };
  const TOO_LONG_WRITTEN_OUT = {
    ok: false,
    message: 'must have at most 2048 characters in its normalized form',
  };
  const start = 'https://example.com/';
  const long = (start: string, length: number) => start + 'x'.repeat(length - start.length);

  it('can be 2048 characters and no more', () => {
    const longest = long(start, 2_048);
    expect(checkEndpointUrl(longest, publicOnly)).toEqual({ ok: true, url: longest });
    expect(checkEndpointUrl(`${longest}x`, publicOnly)).toEqual(TOO_LONG);
  });

  it('is counted in characters of the original input, not in UTF-16 units or bytes', () => {
    const hearts = (count: number) => start + '\u{1f496}'.repeat(count);
    expect(checkEndpointUrl(hearts(2_028), publicOnly)).toEqual(TOO_LONG_WRITTEN_OUT);
    expect(checkEndpointUrl(hearts(2_029), publicOnly)).toEqual(TOO_LONG);
  });

  it('cannot exceed 2048 when the host is converted to ASCII', () => {
    // bücher becomes xn--bcher-kva: seven characters more.
    const inAscii = long('https://bücher.example/', 2_041);
    expect(checkEndpointUrl(inAscii, publicOnly)).toMatchObject({ ok: true });
    expect(checkEndpointUrl(`${inAscii}x`, publicOnly)).toEqual(TOO_LONG_WRITTEN_OUT);
  });

  it('cannot exceed 2048 when the path is percent-encoded', () => {
    expect(checkEndpointUrl(start + 'é'.repeat(338), publicOnly)).toMatchObject({ ok: true });
    expect(checkEndpointUrl(start + 'é'.repeat(339), publicOnly)).toEqual(TOO_LONG_WRITTEN_OUT);
  });
});

describe('endpoint URL refusal', () => {
  it('has a message that does not repeat the URL', () => {
    const check = checkEndpointUrl('https://user:hunter2@example.com/', publicOnly);
    expect(check).toEqual({ ok: false, message: 'must not contain credentials' });
  });
});

describe('endpoint URL when an operator allows some addresses', () => {
  it.each(['https://127.0.0.1:9443/x', 'https://0x7f.1/', 'https://[::1]:9443/x'])(
    '%s is accepted',
    (url) => {
      expect(checkEndpointUrl(url, localToo).ok).toBe(true);
    },
  );

  it.each([
    'https://10.0.0.1/',
    'https://localhost/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'http://127.0.0.1/',
  ])('%s is still refused', (url) => {
    expect(checkEndpointUrl(url, localToo).ok).toBe(false);
  });
});
