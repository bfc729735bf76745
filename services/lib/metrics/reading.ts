/** Reads the value, or answers what was read a moment ago; undefined while it cannot be had. */
export type Reading<Value> = () => Promise<Value | undefined>;

/**
 * A reading that several gauges and scrapes share: made at most once every `everyMs`, whatever came of it, and waited for
 * no longer than `withinMs`. While an earlier one has not ended, no other is begun. Never rejects.
 */
export function reading<Value>(
  read: () => Promise<Value>,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Reading<Value> {
  let begunAt = Number.NEGATIVE_INFINITY;
  let ended = true;
  let latest: Promise<Value | undefined> = Promise.resolve(undefined);

  return () => {
    const now = performance.now();
    if (!ended || now - begunAt < everyMs) return latest;
    begunAt = now;
    ended = false;
    const result = read()
      .catch(() => undefined)
      .finally(() => {
        ended = true;
      });
    latest = orUndefinedAfter(withinMs, result);
    return latest;
  };
}

async function orUndefinedAfter<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
