import { scanBackoffMs, scanResultOf } from './scan-result.ts';

describe('scanResultOf', () => {
  it.each([
    [{ kind: 'clean' }, true, { status: 'clean' }],
    [{ kind: 'clean' }, false, { status: 'scan_failed', reason: 'content_mismatch' }],
    [{ kind: 'encrypted' }, true, { status: 'scan_failed', reason: 'encrypted' }],
    [{ kind: 'encrypted' }, false, { status: 'scan_failed', reason: 'encrypted' }],
    [{ kind: 'limits_exceeded' }, true, { status: 'scan_failed', reason: 'limits_exceeded' }],
    [{ kind: 'infected', signature: 'Bad' }, true, { status: 'infected', signature: 'Bad' }],
    [{ kind: 'infected', signature: 'Bad' }, false, { status: 'infected', signature: 'Bad' }],
  ] as const)('maps verdict %j with matching content %s', (verdict, matches, expected) => {
    expect(scanResultOf(verdict, matches)).toEqual(expected);
  });
});

describe('scanBackoffMs', () => {
  it('doubles from a second to a minute', () => {
    expect([0, 1, 2, 3, 6, 7, 8, 1000].map(scanBackoffMs)).toEqual([
      1_000, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });
});
