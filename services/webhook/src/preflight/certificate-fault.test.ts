import { certificateFault } from './certificate-fault.ts';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const day = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const sound = { mistrust: undefined, namesHost: true, notBefore: day(-1), notAfter: day(1) };

describe('the fault of a certificate', () => {
  it('is nothing when it is trusted, current and for the host', () => {
    expect(certificateFault(sound, NOW)).toBe('');
  });

  it('is told once, and with every other', () => {
    const expired = { ...sound, mistrust: 'CERT_HAS_EXPIRED', notAfter: day(-1), namesHost: false };
    expect(certificateFault(expired, NOW)).toBe('has expired, and is not for this host');
    const early = { ...sound, mistrust: 'DEPTH_ZERO_SELF_SIGNED_CERT', notBefore: day(1) };
    expect(certificateFault(early, NOW)).toBe(
      'is signed by itself and by no trusted authority, and is not valid yet',
    );
  });

  it('is told by its code when that is all that is known', () => {
    expect(certificateFault({ ...sound, mistrust: 'EE_KEY_TOO_SMALL' }, NOW)).toBe(
      'is not trusted (EE_KEY_TOO_SMALL)',
    );
  });
});
