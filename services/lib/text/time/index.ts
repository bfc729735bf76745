import { create } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** A source of time, which tests can replace. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const toTimestamp = timestampFromDate;
export const toDate = timestampDate;

/** Returns the timestamp of a time that a message may lack. */
export const optionalTimestamp = (date: Date | null | undefined) => (date ? toTimestamp(date) : undefined);

export function formatTimestamp(date: Date): string {
  return date.toISOString();
}

const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z$/;

/**
 * Parses a calendar-valid UTC timestamp with at most nine fractional digits. Returns undefined for anything else,
 * including leap seconds and 24:00. Implements docs/contract.md, section 1.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = TIMESTAMP.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, fraction = ''] = parts;
  if (!isCalendarDate(`${year}-${month}-${day}`)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos: Number(fraction.padEnd(9, '0')) });
}

/** Returns whether `text` is an existing day as YYYY-MM-DD, from year 1. */
export function isCalendarDate(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  // A day beyond the end of its month counts on into the next.
  const ms = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).getUTCDate() === Number(text.slice(8));
}

/** Returns whether `text` is an existing month as YYYY-MM, from year 1. */
export function isCalendarMonth(text: string): boolean {
  return /^\d{4}-\d{2}$/.test(text) && isCalendarDate(`${text}-01`);
}
