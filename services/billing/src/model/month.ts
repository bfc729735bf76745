import type { Brand } from '@supplier/lib/text/ids';
import { isCalendarMonth } from '@supplier/lib/text/time';

/** A calendar month in UTC, as YYYY-MM. Months compare as strings. */
export type Month = Brand<'Month'>;

/** Parses a month as YYYY-MM, from year 1; returns undefined for any other text. */
export function parseMonth(text: string): Month | undefined {
  return isCalendarMonth(text) ? (text as Month) : undefined;
}

export function monthOf(at: Date): Month {
  return at.toISOString().slice(0, 7) as Month;
}

export function startOf(month: Month): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

export function monthAfter(month: Month): Month {
  const next = startOf(month);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return monthOf(next);
}
