import { type Month, monthAfter, monthOf, parseMonth, startOf } from './month.ts';

describe('month', () => {
  it.each(['2026-01', '2026-12'])('parses %s', (text) => {
    expect(parseMonth(text)).toBe(text);
  });

  it.each(['', '2026', '2026-1', '2026-00', '2026-13', '2026-011', '2026-01-01', ' 2026-01'])(
    'rejects %j',
    (text) => {
      expect(parseMonth(text)).toBeUndefined();
    },
  );

  it('runs from the first to the last millisecond of the month in UTC', () => {
    expect(startOf('2026-11' as Month).toISOString()).toBe('2026-11-01T00:00:00.000Z');
    expect(monthOf(new Date('2026-11-01T00:00:00.000Z'))).toBe('2026-11');
    expect(monthOf(new Date('2026-11-30T23:59:59.999Z'))).toBe('2026-11');
    expect(monthOf(new Date('2026-12-01T00:00:00.000Z'))).toBe('2026-12');
  });

  it.each([
    ['2026-01', '2026-02'],
    ['2026-09', '2026-10'],
    ['2026-12', '2027-01'],
  ])('%s is followed by %s', (month, next) => {
    expect(monthAfter(month as Month)).toBe(next);
  });
});
