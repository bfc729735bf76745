import type { DescEnum } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';

/** Returns the name of an enum value in lower case: "not billable", or "unknown" for a value from a newer contract. */
export const wordOf = (schema: DescEnum, value: number): string =>
  value === 0 ? 'none' : (schema.value[value]?.localName ?? 'unknown').toLowerCase().replaceAll('_', ' ');

/** Returns an enum value as suppliers and `sss` spell it: "not_billable", "create:basic", "2-5-years". */
export function flagOf(schema: DescEnum, value: number): string {
  const found = schema.value[value];
  return found ? spellEnumValue(found) : 'unknown';
}

const moment = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
});

/** Formats a time in UTC, which all times here use, or returns "not yet" without one. */
export const timeOf = (at: Timestamp | undefined): string =>
  at ? `${moment.format(timestampDate(at))} UTC` : 'not yet';

/** Formats an age: "4 min". */
export function ageOf(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

export const ageSince = (at: Timestamp | undefined, now: number): string =>
  at ? ageOf((now - timestampDate(at).getTime()) / 1_000) : '';

/** Formats pence as pounds: "£12.50". */
export const poundsOf = (pence: number | bigint): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' }).format(Number(pence) / 100);

/** Formats a count with its noun: "1 event", "20 events". */
export const counted = (count: number | bigint, noun: string): string =>
  `${count} ${Number(count) === 1 ? noun : `${noun}s`}`;

/** Formats a duration in milliseconds, short enough for an axis: "2.5 ms", "350 ms", "2.5 s", "3.2 h". */
export function spanOf(ms: number): string {
  if (ms < 100) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const [by, unit] =
    ms < 60_000
      ? [1_000, 's']
      : ms < 3_600_000
        ? [60_000, 'min']
        : ms < 172_800_000
          ? [3_600_000, 'h']
          : [86_400_000, 'days'];
  return `${Math.round((ms / by) * 10) / 10} ${unit}`;
}

/** Matches the form of a UUID of any version. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
