import { retryDelayMs } from '@supplier/lib/data/queues';
import { SCAN_RETRY_DELAYS, scanResultOf } from './scan-result.ts';

const FAULT = { rule: 'workbook-macros', part: 'xl/vbaProject.bin' };

describe('scanResultOf', () => {
  it.each([
    [{ kind: 'clean' }, undefined, { status: 'clean' }],
    [{ kind: 'clean' }, FAULT, { status: 'scan_failed', reason: 'content_mismatch', fault: FAULT }],
    [{ kind: 'encrypted' }, undefined, { status: 'scan_failed', reason: 'encrypted' }],
    [{ kind: 'encrypted' }, FAULT, { status: 'scan_failed', reason: 'encrypted' }],
    [{ kind: 'limits_exceeded' }, undefined, { status: 'scan_failed', reason: 'limits_exceeded' }],
    [{ kind: 'infected', signature: 'Bad' }, undefined, { status: 'infected', signature: 'Bad' }],
    [{ kind: 'infected', signature: 'Bad' }, FAULT, { status: 'infected', signature: 'Bad' }],
  ] as const)('maps verdict %j with content fault %j', (verdict, fault, expected) => {
    expect(scanResultOf(verdict, fault)).toEqual(expected);
  });
});

describe('retries of a scan', () => {
  it('wait from a second, doubling, to a minute', () => {
    const failures = [1, 2, 3, 6, 7, 8, 1000];
    expect(failures.map((count) => retryDelayMs(SCAN_RETRY_DELAYS, count))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });
});
