import { generateCredential, hashSecret, parseCredential } from './index.ts';

describe('credentials', () => {
  it('parses the credentials that it generates', () => {
    const made = generateCredential('sss', 'test');
    expect(made.bearer).toMatch(/^sss_test_[0-9A-Za-z]{16}_[0-9A-Za-z]{43}$/);
    expect(parseCredential('sss', made.bearer)).toEqual({
      kind: 'test',
      publicId: made.publicId,
      secret: made.secret,
    });
  });

  it('rejects every change of a single character without a lookup', () => {
    const { bearer } = generateCredential('sss', 'live');
    for (let i = 0; i < bearer.length; i += 1) {
      const other = bearer[i] === 'a' ? 'b' : 'a';
      expect(parseCredential('sss', bearer.slice(0, i) + other + bearer.slice(i + 1))).toBeUndefined();
    }
  });

  it.each(['', 'sss', 'sss_test__', 'Bearer x', 'sss-test-a-b'])('rejects %j', (text) => {
    expect(parseCredential('sss', text)).toBeUndefined();
  });

  it('rejects another prefix, white space and extra characters', () => {
    const { bearer } = generateCredential('sss', 'test');
    for (const wrong of [` ${bearer}`, `${bearer} `, `${bearer}\n`, `${bearer}a`]) {
      expect(parseCredential('sss', wrong)).toBeUndefined();
    }
    expect(parseCredential('abc', bearer)).toBeUndefined();
  });

  it('parses credentials issued by earlier versions', () => {
    const [publicId, secret] = ['0123456789abcdef', `${'0'.repeat(37)}1FtmCJ`];
    const issued = `sss_test_${publicId}_${secret}`;
    expect(parseCredential('sss', issued)).toEqual({ kind: 'test', publicId, secret });
  });

  it('rejects a sandbox credential rewritten as a production one', () => {
    const { bearer } = generateCredential('sss', 'test');
    expect(parseCredential('sss', bearer.replace('_test_', '_live_'))).toBeUndefined();
  });

  it('never generates the same credential twice', () => {
    const made = Array.from({ length: 100 }, () => generateCredential('sss', 'live'));
    expect(new Set(made.map(({ publicId }) => publicId)).size).toBe(100);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(100);
  });

  it('stores the SHA-256 of a secret', () => {
    const known = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(Buffer.from(hashSecret('abc')).toString('hex')).toBe(known);
  });
});
