import { isCalendarDate } from '../../text/time/index.ts';
import { invalid } from '../refusal/index.ts';

/** How many days a range of figures has at the most. */
export const MAX_DAYS = 92;

const DAY_MS = 86_400_000;

/** The UTC days of a request, each as YYYY-MM-DD, both ends included. */
export interface Days {
  readonly from: string;
  readonly until: string;
  /** Every one of them, oldest first. */
  readonly all: readonly string[];
}

/**
 * The range of a request's fields `from_day` and `until_day`, of at most `max` days. Throws VALIDATION_ERROR for days that do
 * not exist, in the wrong order, or too many.
 */
export function requestedDays(fromDay: string, untilDay: string, max = MAX_DAYS): Days {
  if (!isCalendarDate(fromDay)) throw invalid('from_day', 'must be a day as YYYY-MM-DD');
  if (!isCalendarDate(untilDay)) throw invalid('until_day', 'must be a day as YYYY-MM-DD');
  if (untilDay < fromDay) throw invalid('until_day', 'must not be before from_day');
  const [from, until] = [Date.parse(fromDay), Date.parse(untilDay)];
  const count = (until - from) / DAY_MS + 1;
  if (count > max) throw invalid('until_day', `must be at most ${max} days from from_day on, both included`);
  const all = Array.from({ length: count }, (_, n) => new Date(from + n * DAY_MS).toISOString().slice(0, 10));
  return { from: fromDay, until: untilDay, all };
}

/** How many things took a time of a class, as the function `wait_class` of the databases gives it. */
export interface Waited {
  readonly wait: number;
  readonly count: number;
}

/** The longest time of a class, in whole milliseconds: there are eight classes for each doubling, and -1 is no time at all. */
export const longestOf = (wait: number): number => (wait < 0 ? 0 : Math.floor(2 ** (wait / 8)));

/** The times within which half of them, and 95 %, were done, in milliseconds; nothing where nothing was counted. */
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
