import { fingerprintOf, newSigningSecret } from './signing-secret.ts';

describe('a signing secret', () => {
  it('is the prefix and 32 random bytes, and never the same twice', () => {
    const secrets = new Set(Array.from({ length: 100 }, newSigningSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  });

  it('has a fingerprint of eight hex digits of its SHA-256', () => {
    expect(fingerprintOf('whsec_two')).toBe('78488485');
  });
});
