import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `read` gives something; fails after `withinMs`, saying what it waited for. */
export async function eventually<Result>(
  what: string,
  read: () => Promise<Result | undefined | false> | Result | undefined | false,
  withinMs = 120_000,
): Promise<Result> {
  const end = performance.now() + withinMs;
  for (;;) {
    const result = await read();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(20);
  }
}
