import { refused } from '../../testing/index.ts';
import { longestOf, percentilesOf, requestedDays } from './index.ts';

const refusal = (from: string, until: string) =>
  refused(Promise.resolve().then(() => requestedDays(from, until)));

describe('requestedDays', () => {
  it('lists every day of the range, across the end of a month and a leap day', () => {
    expect(requestedDays('2028-02-28', '2028-03-01').all).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
    expect(requestedDays('2026-11-25', '2026-11-25').all).toEqual(['2026-11-25']);
    expect(requestedDays('2026-08-26', '2026-11-25').all).toHaveLength(92);
  });

  it.each([
    ['that do not exist', '2026-02-30', '2026-03-01', 'from_day'],
    ['that are not dates', '2026-03-01', '', 'until_day'],
    ['in the wrong order', '2026-03-02', '2026-03-01', 'until_day'],
    ['more than 92', '2026-08-25', '2026-11-25', 'until_day'],
  ])('rejects days %s', async (_, from, until, path) => {
    expect(await refusal(from, until)).toMatchObject({ refusal: 'VALIDATION_ERROR', paths: [path] });
  });
});

describe('percentilesOf', () => {
  it('returns the class by which that share is done', () => {
    const waited = [
      { wait: 80, count: 4 },
      { wait: -1, count: 50 },
      { wait: 24, count: 44 },
      { wait: 80, count: 2 },
    ];
    expect(percentilesOf(waited)).toEqual({ p50: 0n, p95: 1024n });
    expect(percentilesOf([...waited, { wait: 24, count: 1 }])).toEqual({ p50: 8n, p95: 1024n });
  });

  it('returns nothing when no times were counted or the counts cancel out', () => {
    expect(percentilesOf([])).toEqual({});
    expect(
      percentilesOf([
        { wait: 3, count: 2 },
        { wait: 3, count: -2 },
      ]),
    ).toEqual({});
  });

  it('overstates a time by at most a tenth', () => {
    for (let wait = 0; wait < 272; wait += 1)
      expect(longestOf(wait)).toBeLessThanOrEqual(1.1 * (longestOf(wait - 1) + 1));
  });
});
