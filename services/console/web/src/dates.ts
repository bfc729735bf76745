import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

export const DAY_MS = 86_400_000;
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const formatsOf = (day: 'numeric' | undefined) =>
  new Intl.DateTimeFormat('en-GB', { day, month: 'long', year: 'numeric', timeZone: 'UTC' });
const format = formatsOf(undefined);
const dayFormat = formatsOf('numeric');

const startOf = (month: string, monthsLater = 0): Date => {
  const [, year, number] = MONTH.exec(month) ?? [];
  return new Date(Date.UTC(Number(year), Number(number) - 1 + monthsLater, 1));
};

/** Returns the present month in UTC: "2026-11". */
export const thisMonth = (): string => new Date().toISOString().slice(0, 7);

/** Returns the month `count` months before another, or after it if `count` is negative. */
export const monthsBefore = (month: string, count: number): string =>
  startOf(month, -count).toISOString().slice(0, 7);

/** Returns the latest months, this one first. */
export const latestMonths = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, before) => monthsBefore(thisMonth(), before));

/** Returns the last day of a month, but not one after today: "2026-11-30". */
export function lastDayOf(month: string): string {
  const last = new Date(startOf(month, 1).getTime() - 1);
  return new Date(Math.min(last.getTime(), Date.now())).toISOString().slice(0, 10);
}

export const isMonth = (text: string): boolean => MONTH.test(text);

/** Formats a month: "November 2026". */
export const formatMonth = (month: string): string => format.format(startOf(month));

/** Formats a day: "1 December 2026". */
export const formatDay = (day: string): string => dayFormat.format(Date.parse(day));

/** Returns the day `days` days ago in UTC: "2026-11-25". */
export const dayBefore = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Returns the latest days in UTC, today included. */
export const lastDays = (count: number): { readonly fromDay: string; readonly untilDay: string } => ({
  fromDay: dayBefore(count - 1),
  untilDay: dayBefore(0),
});

/** Returns the input of a time with its zone: "2026-11-20T09:30:00Z", or undefined if it is invalid. */
export function timeIn(value: string): string | undefined {
  const at = new Date(`${value}Z`);
  return value === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z');
}

/** Returns the input of a time, in UTC, for a request. */
export function timestampIn(value: string): Timestamp | undefined {
  const at = timeIn(value);
  return at === undefined ? undefined : timestampFromDate(new Date(at));
}

/** Returns the start of a day in UTC, or of one some days later, for a request: of "2026-11-20". */
export const startOfDay = (day: string, daysLater = 0): Timestamp =>
  timestampFromDate(new Date(Date.parse(`${day}T00:00:00Z`) + daysLater * DAY_MS));
