import type { DescEnum } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { visible } from '@supplier/lib/text/visible';
import { timeZone } from './preferences.ts';

/** Returns the name of an enum value in lower case: "not billable", or "unknown" for a value from a newer contract. */
export const enumName = (schema: DescEnum, value: number): string =>
  value === 0 ? 'none' : spaced((schema.value[value]?.localName ?? 'unknown').toLowerCase());

/** Returns an enum value as suppliers and `sss` spell it: "not_billable", "create:basic", "2-5-years". */
export function enumFlag(schema: DescEnum, value: number): string {
  const found = schema.value[value];
  return found ? spellEnumValue(found) : 'unknown';
}

/** Labels that differ from the name in the contract. */
const LABELS: Readonly<Record<string, string>> = {
  STATUS_RECEIVED: 'Awaiting decision',
  STATUS_DUPLICATE_NOT_ACCEPTED: 'Duplicate',
  QUEUE_STAFF_DECISION: 'Awaiting decision',
  QUEUE_STAFF_PRE_UNDERWRITING: 'Pre-underwriting review',
  QUEUE_APPLICATION: 'Awaiting Application',
  QUEUE_DECISION: 'Awaiting policy',
  QUEUE_PARKED: 'Parked work',
  QUEUE_NO_USABLE_CONTACT: 'No usable contact',
  APPROVAL_STATE_WAITING: 'Pending',
  ERASURE_STATE_COMPLETE: 'Complete',
  SCOPE_CREATE_BASIC: 'create:basic',
  SCOPE_CREATE_APPLICATION: 'create:application',
  SCOPE_READ: 'read',
  SCOPE_CORRECT: 'correct',
  SCOPE_PROMOTE: 'promote',
  TRADING_DURATION_LESS_THAN_1: 'Less than 1 year',
  TRADING_DURATION_1_2_YEARS: '1–2 years',
  TRADING_DURATION_2_5_YEARS: '2–5 years',
  TRADING_DURATION_5_PLUS_YEARS: 'Over 5 years',
  BUSINESS_SECTOR_RETAIL_WHOLESALE: 'Retail and wholesale',
  BUSINESS_SECTOR_BEAUTY_WELLNESS: 'Beauty and wellness',
  BUSINESS_SECTOR_TECHNOLOGY_MEDIA: 'Technology and media',
  ERASURE_REASON_REQUEST: 'Erasure request',
  ERASURE_REASON_RETENTION: 'Retention period',
  ERASURE_STEP_OWN_DATA: 'Submission data',
  ERASURE_STEP_DELIVERIES: 'Webhook deliveries',
};

/** Returns the label of an enum value in sentence case: "Not billable". */
export const enumLabel = (schema: DescEnum, value: number): string =>
  LABELS[schema.value[value]?.name ?? ''] ?? capitalize(enumName(schema, value));

/** How words of the contract's names are written, if not in lower case. */
const WORDS: Readonly<Record<string, string>> = {
  ccj: 'CCJ',
  ccjs: 'CCJs',
  gbp: '(GBP)',
  hmrc: 'HMRC',
  id: 'ID',
  url: 'URL',
};

/** Returns a snake_case name in words: "funding amount", "HMRC arrears". */
export const spaced = (name: string): string =>
  name
    .split('_')
    .map((word) => WORDS[word] ?? word)
    .join(' ')
    .replace('pre underwriting', 'pre-underwriting');

/** Returns a text with the snake_case names and paths in it in words. */
export const spacedWithin = (text: string): string =>
  text.replace(/[a-z_]+(?:\.[a-z_]+)*/g, (name) =>
    name.includes('_') ? spaced(name.slice(name.lastIndexOf('.') + 1)) : name,
  );

/** Returns a name in camel case in words: "Activate policy". */
export const uncamel = (name: string): string =>
  capitalize(spaced(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()));

/** Returns who acted: a person's name, or "submission service" for what a service did automatically. */
export const actorName = (actor: string): string => visible(actor).replace(/^service:(.+)$/, '$1 service');

/** Returns a text with its first letter in upper case. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Formats JSON with one line for each value. Other text is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const formatsOf = (timeZone: string | undefined) => {
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  const day = { day: 'numeric', month: 'short' } as const;
  const format = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone });
  return {
    exact: format('en-GB', { ...day, year: 'numeric', ...time, second: '2-digit', timeZoneName: 'short' }),
    clock: format('en-GB', { ...time, second: '2-digit', fractionalSecondDigits: 3 }),
    time: format('en-GB', time),
    day: format('en-GB', day),
    isoDay: format('en-CA', {}),
  };
};
const FORMATS = { utc: formatsOf('UTC'), local: formatsOf(undefined) } as const;

/** Formats a time in the time zone that the person chose, or returns "not yet" without one. */
export const formatTime = (at: Timestamp | undefined): string =>
  at ? FORMATS[timeZone.get()].exact.format(timestampDate(at)) : 'not yet';

/** Formats the time of day to the millisecond: "14:02:11.529". */
export const formatClock = (at: Timestamp | undefined): string =>
  at ? FORMATS[timeZone.get()].clock.format(timestampDate(at)) : '';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SOON_MS = 48 * HOUR_MS;

/**
 * Formats a time relative to `now`: "In 3 h", "4 min ago", "Today 14:02", "24 Nov 14:02", "24 Nov 2025". A later one has
 * its year: "1 Dec 2026 00:00".
 */
export function formatRelative(at: Timestamp, now: number): string {
  const { isoDay, day, time } = FORMATS[timeZone.get()];
  const date = timestampDate(at);
  const age = now - date.getTime();
  if (Math.abs(age) < MINUTE_MS) return 'Just now';
  if (age < 0 && -age < SOON_MS) return `In ${formatAge(-age / 1_000)}`;
  if (age >= 0 && age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  const [on, today] = [isoDay.format(date), isoDay.format(now)];
  if (on === today) return `Today ${time.format(date)}`;
  if (age < 0) return `${day.format(date)} ${on.slice(0, 4)} ${time.format(date)}`;
  const isThisYear = on.slice(0, 4) === today.slice(0, 4);
  return `${day.format(date)} ${isThisYear ? time.format(date) : on.slice(0, 4)}`;
}

/** Formats an age: "4 min". */
export function formatAge(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

export const formatAgeSince = (at: Timestamp | undefined, now: number): string =>
  at ? formatAge((now - timestampDate(at).getTime()) / 1_000) : '';

const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });

/** Formats pence as pounds: "£12.50", "−£45.00". */
export const formatPounds = (pence: number | bigint): string =>
  pounds.format(Number(pence) / 100).replace('-', '−');

const wholePounds = new Intl.NumberFormat('en-GB', {
  style: 'currency',
  currency: 'GBP',
  maximumFractionDigits: 0,
});

/** Formats an amount that was stated in whole pounds: "£25,000"; an em dash without one. */
export const formatWholePounds = (amount: number | undefined): string =>
  amount === undefined ? '—' : wholePounds.format(amount);

const share = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** Formats a share: "99.4%". */
export const formatShare = (part: number): string => share.format(part);

/** Formats a count with its noun: "1 event", "2,000 events". */
export const withNoun = (count: number | bigint, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-GB')} ${Number(count) === 1 ? noun : plural}`;

/** Formats a duration in milliseconds, short enough for an axis: "2.5 ms", "350 ms", "2.5 s", "3.2 h". */
export function formatDuration(ms: number): string {
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

/** Whether a text is an id or a digest, which people copy but don't read. */
export const isId = (text: string): boolean => UUID.test(text) || /^[0-9a-f]{40,128}$/i.test(text);

/** Matches the form of a UUID of any version. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const bytes = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
const KILO = 1_000;

/** Formats a size in bytes: "812 B", "1.2 MB". */
export function formatBytes(size: number): string {
  if (size < KILO) return `${size} B`;
  return size < KILO * KILO ? `${bytes.format(size / KILO)} kB` : `${bytes.format(size / KILO / KILO)} MB`;
}

/** Quotes a string as one shell word. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
