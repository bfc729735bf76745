const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long to wait after the `failures`-th failure in a row, in milliseconds: a second, doubling up to a minute. */
export function scanBackoffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
}
