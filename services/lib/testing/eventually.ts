import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits until `read` returns a value. Throws after `withinMs`, naming what it waited for. It reads less often the
 * longer it has waited: a pause adds at most a tenth to the wait, and a long wait leaves the CPU to the work under
 * test.
 */
export async function eventually<Result>(
  what: string,
  read: () => Promise<Result | undefined | false> | Result | undefined | false,
  withinMs = 120_000,
): Promise<Result> {
  const begun = performance.now();
  for (;;) {
    const result = await read();
    if (result !== undefined && result !== false) return result;
    const waitedMs = performance.now() - begun;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(Math.min(Math.max(FIRST_PAUSE_MS, waitedMs / 10), LONGEST_PAUSE_MS));
  }
}
