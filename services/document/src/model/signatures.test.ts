import { admission, readVersionReply, unfitness } from './signatures.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const official = (publishedAt: string) => ({
  official: { version: 27500, publishedAt: new Date(publishedAt) },
});

describe('readVersionReply', () => {
  it('reads the number and the date of the official set', () => {
    expect(readVersionReply('ClamAV 1.4.6/27500/Fri Nov 20 09:21:11 2026')).toEqual(
      official('2026-11-20T09:21:11Z'),
    );
    expect(readVersionReply('ClamAV 1.4.6/27500/Sun Nov  1 09:21:11 2026')).toEqual(
      official('2026-11-01T09:21:11Z'),
    );
  });

  it('returns no official set when clamd reports none', () => {
    expect(readVersionReply('ClamAV 1.4.6')).toEqual({ official: undefined });
  });

  it.each([
    '',
    'PONG',
    'ClamAV 1.4.6/27500',
    'not ClamAV 1.4.6',
    'ClamAV 1.4.6/27500/yesterday',
    'ClamAV 1.4.6/27500/Fri Nov 20 09:21:11 2026 and more',
    'ClamAV 1.4.6/x/Fri Nov 20 09:21:11 2026',
    'ClamAV 1.4.6/27500/Fri Zzz 20 09:21:11 2026',
  ])('rejects the reply %j', (reply) => {
    expect(readVersionReply(reply)).toBeUndefined();
  });
});

describe('unfitness', () => {
  it.each([
    ['of today', official('2026-11-20T00:00:00Z'), undefined],
    ['of exactly the maximum age', official('2026-11-13T12:00:00Z'), undefined],
    ['one second older', official('2026-11-13T11:59:59Z'), 'signatures too old'],
    ['a few hours ahead, in another zone', official('2026-11-21T02:00:00Z'), undefined],
    ['exactly a day ahead', official('2026-11-21T12:00:00Z'), undefined],
    ['from the future', official('2026-11-22T12:00:00Z'), 'signatures too old'],
    ['none', { official: undefined }, 'no official signatures'],
  ])('evaluates signatures %s', (_what, signatures, expected) => {
    expect(unfitness(signatures, 7, NOW)).toBe(expected);
  });
});

describe('admission', () => {
  const policy = { maxAgeDays: 7, anySignatures: false };

  it('admits both environments with recent official signatures', () => {
    expect(admission(official('2026-11-20T00:00:00Z'), policy, NOW).environments).toEqual([
      'sandbox',
      'production',
    ]);
  });

  it('admits no environment with unfit signatures', () => {
    expect(admission({ official: undefined }, policy, NOW).environments).toEqual([]);
    expect(admission(official('2026-01-01T00:00:00Z'), policy, NOW).environments).toEqual([]);
  });

  it('admits the sandbox, but never production, with unfit signatures where the operator allows them', () => {
    const lenient = { ...policy, anySignatures: true };
    expect(admission({ official: undefined }, lenient, NOW).environments).toEqual(['sandbox']);
    expect(admission(official('2026-01-01T00:00:00Z'), lenient, NOW).environments).toEqual(['sandbox']);
  });
});
