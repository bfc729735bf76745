import { KEPT_SLICES, SLICES } from './db/limit-window.ts';

/** Returns the length of one slice in milliseconds. */
export const sliceMsOf = (windowMs: number): number => windowMs / SLICES;

export interface Counted {
  /** Per slice, oldest first; KEPT_SLICES entries. */
  readonly counts: readonly number[];
  /** Number of the last slice, in slices since the clock's zero. */
  readonly newest: number;
}

/**
 * Returns the milliseconds until fewer than `max` requests count, at least 1. A slice counts until all of it is older
 * than the window, so that no window of that length, wherever it starts, ever contains more than `max`.
 */
export function retryAfterMs(
  { counts, newest }: Counted,
  max: number,
  sliceMs: number,
  nowMs: number,
): number {
  let used = counts.reduce((sum, count) => sum + count, 0);
  let freed = -1;
  while (used >= max && freed + 1 < counts.length) {
    freed += 1;
    used -= counts[freed] ?? 0;
  }
  if (freed < 0) return 1;
  const slice = newest - (counts.length - 1) + freed;
  return Math.max(1, Math.ceil((slice + KEPT_SLICES) * sliceMs - nowMs));
}
