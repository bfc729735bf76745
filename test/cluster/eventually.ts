import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 250;

/** Repeats `probe` until it succeeds, and resolves to its result. Rejects with its last error when the time is over. */
export async function eventually<Result>(withinMs: number, probe: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + withinMs;
  for (;;)
    try {
      return await probe();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
      await pause(POLL_MS);
    }
}

/** Waits until `left` returns nothing. Rejects with what it last returned. */
export const untilNone = (withinMs: number, what: string, left: () => Promise<readonly string[]>) =>
  eventually(withinMs, async () => {
    const all = await left();
    if (all.length > 0) throw new Error(`${what}: ${all.join(', ')}`);
  });
