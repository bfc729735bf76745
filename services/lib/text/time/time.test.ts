import { isCalendarDate, isCalendarMonth, parseTimestamp, toDate } from './index.ts';

describe('parseTimestamp', () => {
  it('parses UTC with and without a fraction', () => {
    expect(parseTimestamp('2026-02-28T23:59:59Z')).toMatchObject({ seconds: 1772323199n, nanos: 0 });
    expect(parseTimestamp('2026-02-28T23:59:59.5Z')?.nanos).toBe(500_000_000);
    expect(parseTimestamp('2026-02-28T23:59:59.123456789Z')?.nanos).toBe(123_456_789);
    const leapDay = parseTimestamp('2024-02-29T00:00:00Z');
    expect(leapDay && toDate(leapDay).toISOString()).toBe('2024-02-29T00:00:00.000Z');
  });

  it.each([
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00z',
    '2026-1-1T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '',
  ])('rejects %s', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});

describe('isCalendarDate and isCalendarMonth', () => {
  it('accept only existing days and months', () => {
    expect(isCalendarDate('2000-02-29')).toBe(true);
    expect(isCalendarDate('1900-02-29')).toBe(false);
    expect(isCalendarDate('2026-04-31')).toBe(false);
    expect(isCalendarDate('2026-4-1')).toBe(false);
    expect(isCalendarMonth('2026-12')).toBe(true);
    expect(isCalendarMonth('2026-13')).toBe(false);
    expect(isCalendarMonth('2026-00')).toBe(false);
  });
});
