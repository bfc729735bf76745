import './browser-storage.ts';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  formatAge,
  formatAgeSince,
  formatBytes,
  formatClock,
  formatDuration,
  formatPounds,
  formatRelative,
  formatShare,
  formatTime,
  formatWholePounds,
  isId,
  withNoun,
} from '../web/src/format.ts';
import { timeZone } from '../web/src/preferences.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const at = (time: string) => timestampFromDate(new Date(time));
afterEach(() => timeZone.set('utc'));

describe('an amount in whole pounds', () => {
  it.each([
    [25_000, '£25,000'],
    [1_250_000, '£1,250,000'],
    [undefined, '—'],
  ])('of %s is %s', (amount, text) => expect(formatWholePounds(amount)).toBe(text));
});

describe('a relative time', () => {
  it.each([
    ['2026-11-25T11:59:00.001Z', 'Just now'],
    ['2026-11-25T12:00:59.999Z', 'Just now'],
    ['2026-11-25T11:59:00Z', '1 min ago'],
    ['2026-11-25T11:00:00.001Z', '59 min ago'],
    ['2026-11-25T11:00:00Z', 'Today 11:00'],
    ['2026-11-25T00:00:00Z', 'Today 00:00'],
    ['2026-11-24T23:59:59Z', '24 Nov 23:59'],
    ['2026-01-01T00:00:00Z', '1 Jan 00:00'],
    ['2025-12-31T23:59:59Z', '31 Dec 2025'],
    ['2026-11-25T12:01:00Z', 'In 1 min'],
    ['2026-11-27T11:59:59Z', 'In 47 h'],
    ['2026-11-27T12:00:00Z', '27 Nov 2026 12:00'],
    ['2027-01-02T12:00:00Z', '2 Jan 2027 12:00'],
  ])('of %s is %s', (time, text) => expect(formatRelative(at(time), NOW)).toBe(text));

  it('is on the same day until midnight', () => {
    const late = Date.parse('2026-12-31T23:59:59Z');
    expect(formatRelative(at('2026-12-31T00:30:00Z'), late)).toBe('Today 00:30');
    expect(formatRelative(at('2026-12-30T23:59:00Z'), late)).toBe('30 Dec 23:59');
    expect(formatRelative(at('2026-12-31T22:00:00Z'), late + 1_000)).toBe('31 Dec 2026');
  });

  it('is in the local time zone if the person chose it', () => {
    timeZone.set('local');
    const now = new Date(2026, 10, 25, 12).getTime();
    const local = (day: number, hour: number) => timestampFromDate(new Date(2026, 10, day, hour, 5));
    expect(formatRelative(local(25, 0), now)).toBe('Today 00:05');
    expect(formatRelative(local(24, 23), now)).toBe('24 Nov 23:05');
  });
});

describe('an exact time', () => {
  it('states its zone', () => {
    expect(formatTime(at('2026-11-25T23:59:59Z'))).toBe('25 Nov 2026, 23:59:59 UTC');
    expect(formatTime(undefined)).toBe('not yet');
    timeZone.set('local');
    const offset = -new Date(NOW).getTimezoneOffset() / 60;
    expect(formatTime(at('2026-11-25T12:00:00Z'))).toMatch(offset === 0 ? /UTC|GMT/ : /(?:GMT|UTC)[+-]\d/);
  });

  it('of a step has milliseconds', () => {
    expect(formatClock(at('2026-11-25T14:02:11.529Z'))).toBe('14:02:11.529');
    expect(formatClock(undefined)).toBe('');
  });
});

describe('an age', () => {
  it.each([
    [-1, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3_599, '59 min'],
    [3_600, '1 h'],
    [172_799, '47 h'],
    [172_800, '2 days'],
  ])('of %p seconds is %s', (seconds, text) => expect(formatAge(seconds)).toBe(text));

  it('is the time since a moment', () => {
    expect(formatAgeSince(at('2026-11-25T09:30:00Z'), NOW)).toBe('2 h');
    expect(formatAgeSince(undefined, NOW)).toBe('');
  });
});

describe('a duration', () => {
  it.each([
    [0.04, '0 ms'],
    [2.54, '2.5 ms'],
    [99.94, '99.9 ms'],
    [350.4, '350 ms'],
    [1_000, '1 s'],
    [59_900, '59.9 s'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [172_799_999, '48 h'],
    [172_800_000, '2 days'],
  ])('of %p milliseconds is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('an amount', () => {
  it.each([
    [0, '£0.00'],
    [5n, '£0.05'],
    [123_456n, '£1,234.56'],
    [-4_500n, '−£45.00'],
  ])('of %s pence is %s', (pence, text) => expect(formatPounds(pence)).toBe(text));
});

describe('a count', () => {
  it.each([
    [0, '0 events'],
    [1, '1 event'],
    [1n, '1 event'],
    [2_000n, '2,000 events'],
  ])('of %s has its noun: %s', (count, text) => expect(withNoun(count, 'event')).toBe(text));

  it.each([
    [999, '999 B'],
    [1_000, '1 kB'],
    [999_950, '1,000 kB'],
    [1_250_000, '1.3 MB'],
  ])('of %s bytes is %s', (size, text) => expect(formatBytes(size)).toBe(text));

  it.each([
    [0.9944, '99.4%'],
    [1, '100%'],
  ])('in a share of %p is %s', (part, text) => expect(formatShare(part)).toBe(text));
});

describe('an id that people copy but do not read', () => {
  it.each([
    ['01a2242c-65a6-7430-a057-c4ad7718c58d', true],
    ['ab'.repeat(32), true],
    ['ab'.repeat(19), false],
    ['if enquiry.funding_amount > 1: rejected', false],
    ['01a2242c-65a6-7430-a057-c4ad7718c58d, 01a2242c-65a6-7430-a057-c4ad7718c58e', false],
    ['', false],
  ])('%p: %p', (text, expected) => expect(isId(text)).toBe(expected));
});
