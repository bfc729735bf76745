import { dayBefore, formatDay } from '../../dates.ts';
import { withNoun } from '../../format.ts';

const POUNDS = /^(\d{1,5})(?:\.(\d{1,2}))?$/;
const MAX_PENCE = 1_000_000;

/** Parses an amount in pounds, such as 52, 52.5 or 52.50, into whole pence. Returns undefined for invalid input. */
export function penceOf(pounds: string): number | undefined {
  const [, whole, pence = ''] = POUNDS.exec(pounds.trim()) ?? [];
  const amount = Number(whole) * 100 + Number(pence.padEnd(2, '0'));
  return amount <= MAX_PENCE ? amount : undefined;
}

/** Returns what a new price does: from which day it applies if that is in the future, or how many lines it priced. */
export const priceSet = (from: string, linesPriced: number): string =>
  from > dayBefore(0)
    ? `Price set. It applies from ${formatDay(from)} (UTC).`
    : `Price set. Applied to ${withNoun(linesPriced, 'line')}.`;
