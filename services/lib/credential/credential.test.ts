import { generateCredential, hashSecret, parseCredential } from './index.ts';

describe('credential', () => {
  it('reads back what it makes', () => {
    const made = generateCredential('sss', 'test');
    expect(made.bearer).toMatch(/^sss_test_[0-9A-Za-z]{16}_[0-9A-Za-z]{43}$/);
    expect(parseCredential('sss', made.bearer)).toEqual({
      kind: 'test',
      publicId: made.publicId,
      secret: made.secret,
    });
  });

  it('refuses every change of a single character without asking anybody', () => {
    const { bearer } = generateCredential('sss', 'live');
    for (let i = 0; i < bearer.length; i += 1) {
      const other = bearer[i] === 'a' ? 'b' : 'a';
      expect(parseCredential('sss', bearer.slice(0, i) + other + bearer.slice(i + 1))).toBeUndefined();
    }
  });

  it.each(['', 'sss', 'sss_test__', 'Bearer x', 'sss-test-a-b'])('refuses %j', (text) => {
    expect(parseCredential('sss', text)).toBeUndefined();
  });

  it('refuses another prefix, white space and a longer text', () => {
    const { bearer } = generateCredential('sss', 'test');
    for (const wrong of [` ${bearer}`, `${bearer} `, `${bearer}\n`, `${bearer}a`]) {
      expect(parseCredential('sss', wrong)).toBeUndefined();
    }
    expect(parseCredential('abc', bearer)).toBeUndefined();
  });

  it('stores 32 bytes of a secret', () => {
    expect(hashSecret('x')).toHaveLength(32);
  });
});
