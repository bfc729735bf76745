import {
  dayBefore,
  formatMonth,
  lastDayOf,
  lastDays,
  latestMonths,
  monthsBefore,
  thisMonth,
  timeIn,
} from '../web/src/dates.ts';

/** Far from UTC in either direction, with half hours, and with summer time. */
const ZONES = [
  'UTC',
  'Europe/London',
  'Pacific/Auckland',
  'Pacific/Honolulu',
  'Asia/Kolkata',
  'America/New_York',
];
/** Around the changes of the hour in London, at the ends of a month and a year, and on a leap day. */
const MOMENTS = [
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00.000Z',
  '2026-10-25T00:30:00.000Z',
  '2026-10-25T01:30:00.000Z',
  '2026-06-30T23:30:00.000Z',
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00.000Z',
  '2028-02-29T12:00:00.000Z',
];

const zoneBefore = process.env.TZ;
afterEach(() => {
  jest.useRealTimers();
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

describe.each(ZONES)('dates in a browser in %s', (zone) => {
  beforeEach(() => {
    process.env.TZ = zone;
  });

  it.each(MOMENTS)('are in UTC at %s', (now) => {
    jest.useFakeTimers({ now: new Date(now) });
    const month = now.slice(0, 7);
    expect(thisMonth()).toBe(month);
    expect(latestMonths(1)).toEqual([month]);
    expect(dayBefore(0)).toBe(now.slice(0, 10));
    expect(lastDayOf(month)).toBe(now.slice(0, 10));
    expect(timeIn(now.slice(0, 16))).toBe(`${now.slice(0, 16)}:00Z`);
  });

  it('count months and days across years and changes of the hour', () => {
    jest.useFakeTimers({ now: new Date('2026-03-30T00:30:00Z') });
    expect(dayBefore(1)).toBe('2026-03-29');
    expect(dayBefore(2)).toBe('2026-03-28');
    expect(lastDays(1)).toEqual({ fromDay: '2026-03-30', untilDay: '2026-03-30' });
    expect(lastDays(30)).toEqual({ fromDay: '2026-03-01', untilDay: '2026-03-30' });
    expect(latestMonths(4)).toEqual(['2026-03', '2026-02', '2026-01', '2025-12']);
    expect(monthsBefore('2026-12', -1)).toBe('2027-01');
    expect(lastDayOf('2026-02')).toBe('2026-02-28');
    expect(lastDayOf('2024-02')).toBe('2024-02-29');
    expect(formatMonth('2026-01')).toBe('January 2026');
  });

  it('refuse what is no time', () => {
    expect(['', 'tomorrow', '2026-13-01T00:00'].map(timeIn)).toEqual([undefined, undefined, undefined]);
  });
});
