/** Delays before a failed row is retried. */
export interface RetryDelays {
  readonly seconds: readonly [number, ...number[]];
  /** Whether the last delay repeats indefinitely. Otherwise the row is parked when the delays are used up. */
  readonly repeatsLast: boolean;
}

/** Returns the delay after the `failures`-th consecutive failure, in milliseconds; undefined if there is no retry. */
export function retryDelayMs(delays: RetryDelays & { readonly repeatsLast: true }, failures: number): number;
export function retryDelayMs(delays: RetryDelays, failures: number): number | undefined;
export function retryDelayMs({ seconds, repeatsLast }: RetryDelays, failures: number): number | undefined {
  const delay = seconds[failures - 1] ?? (repeatsLast ? seconds.at(-1) : undefined);
  return delay === undefined ? undefined : delay * 1_000;
}
