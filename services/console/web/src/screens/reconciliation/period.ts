import { DAY_MS, timeIn } from '../../dates.ts';
import type { Comparison } from './reconcile.ts';

const MAX_AGE_MS = 7 * DAY_MS;
/** More recent changes may still be on their way from one service to another. */
const YOUNGEST_MS = 60_000;

/** A period as it is entered, in UTC. An end without a time has a default. */
interface Period {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** Returns the period entered, and what is wrong with it. */
export function periodOf(from: string, to: string, now: number) {
  const [since, until] = [timeIn(from), timeIn(to)];
  return {
    since,
    until,
    isTooOld: since !== undefined && Date.parse(since) < now - MAX_AGE_MS,
    isReversed: since !== undefined && until !== undefined && since >= until,
  };
}

/** Returns the range to compare: by default from a day ago until a minute ago. */
export const rangeOf = ({ since, until }: Period, now: number): Pick<Comparison, 'since' | 'until'> => ({
  since: new Date(since ?? now - DAY_MS),
  until: new Date(until ?? now - YOUNGEST_MS),
});
