const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** Who ran that long starts afresh. */
const FORGET_MS = 600_000;

/**
 * How long to wait before a container is started again: not at all after its first end, then 10 s, 20 s, up to 5 min.
 * `ends` are the times, in milliseconds, that it ran before each end since it was made.
 */
export function restartDelayMs(ranMs: readonly number[]): number {
  const since = ranMs.slice(ranMs.findLastIndex((ran) => ran >= FORGET_MS) + 1).length;
  return since <= 1 ? 0 : Math.min(FIRST_MS * 2 ** (since - 2), LONGEST_MS);
}
