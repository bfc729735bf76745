import { isCalendarDate } from '../../text/time/index.ts';
import { invalid } from '../refusal/index.ts';

export const MAX_DAYS = 92;

const DAY_MS = 86_400_000;

/** The UTC days of a request, as YYYY-MM-DD, both ends included. */
export interface Days {
  readonly from: string;
  readonly until: string;
  /** All days of the range, oldest first. */
  readonly all: readonly string[];
}

/** Returns the range of days of a request. Throws VALIDATION_ERROR if it is invalid or too long. */
export function requestedDays(fromDay: string, untilDay: string, max = MAX_DAYS): Days {
  if (!isCalendarDate(fromDay)) throw invalid('from_day', 'must be a day as YYYY-MM-DD');
  if (!isCalendarDate(untilDay)) throw invalid('until_day', 'must be a day as YYYY-MM-DD');
  if (untilDay < fromDay) throw invalid('until_day', 'must not be before from_day');
  const [from, until] = [Date.parse(fromDay), Date.parse(untilDay)];
  const count = (until - from) / DAY_MS + 1;
  if (count > max) throw invalid('until_day', `must be at most ${max} days after from_day, counting both`);
  const all = Array.from({ length: count }, (_, n) => new Date(from + n * DAY_MS).toISOString().slice(0, 10));
  return { from: fromDay, until: untilDay, all };
}

/** Counts the times in one class, as numbered by the database function `wait_class`. */
export interface Waited {
  readonly wait: number;
  readonly count: number;
}

/** Returns the longest time of a class, in ms. There are eight classes per doubling; -1 is no time. */
export const longestOf = (wait: number): number => (wait < 0 ? 0 : Math.floor(2 ** (wait / 8)));

/** Returns the 50th and 95th percentile in milliseconds, or nothing when no times were counted. */
export function percentilesOf(waited: readonly Waited[]): { p50?: bigint; p95?: bigint } {
  const classes = [...Map.groupBy(waited, ({ wait }) => wait)]
    .map(([wait, those]) => ({ wait, count: those.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => a.wait - b.wait);
  const total = classes.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return {};
  const within = (share: number) => {
    let done = 0;
    const found = classes.find(({ count }) => {
      done += count;
      return done >= share * total;
    });
    return BigInt(longestOf(found?.wait ?? -1));
  };
  return { p50: within(0.5), p95: within(0.95) };
}
