import { within } from '../deadlines/index.ts';

/** Reads the value, or returns the recent one; undefined while it is unavailable. */
export type Reading<Value> = () => Promise<Value | undefined>;

/**
 * Creates a reading that several gauges and scrapes share: made at most once every `everyMs`, even after a failure, and
 * awaited for at most `withinMs`; 5 s and 1.5 s by default. A new one begins only after the previous one has ended. Never rejects.
 */
export function reading<Value>(
  read: () => Promise<Value>,
  { everyMs, withinMs } = { everyMs: 5_000, withinMs: 1_500 },
): Reading<Value> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let ended = true;
  let latest: Promise<Value | undefined> = Promise.resolve(undefined);

  return () => {
    const now = performance.now();
    if (!ended || now - startedAt < everyMs) return latest;
    startedAt = now;
    ended = false;
    const result = read()
      .catch(() => undefined)
      .finally(() => {
        ended = true;
      });
    latest = within(withinMs, result, () => undefined);
    return latest;
  };
}
