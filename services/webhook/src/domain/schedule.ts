/** Seconds between the end of each attempt and the next: one gap fewer than there are attempts. */
export const RETRY_GAPS_SECONDS = [15, 45, 120, 420, 1_200, 3_600, 3_600] as const;

export const MAXIMUM_ATTEMPTS = RETRY_GAPS_SECONDS.length + 1;

/** Every gap is stretched or shrunk by up to this part of itself, so that receivers are not met by herds. */
export const JITTER = 0.2;

/** A number from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * When the next attempt is due after attempt `number` (from 1) failed at `endedAt`; undefined after the last.
 * Implements docs/contract.md, section 7.
 */
export function nextAttemptAt(number: number, endedAt: Date, random: Random): Date | undefined {
  const gap = RETRY_GAPS_SECONDS[number - 1];
  if (gap === undefined) return undefined;
  const factor = 1 - JITTER + 2 * JITTER * random();
  return new Date(endedAt.getTime() + Math.round(gap * 1_000 * factor));
}
