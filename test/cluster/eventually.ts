import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 250;
/** How long one probe may take. */
const PROBE_MS = 60_000;

/**
 * Repeats `probe` until it succeeds, and resolves to its result. Rejects with its last error when the time is over, and
 * immediately when the error is a mistake in the program.
 */
export async function eventually<Result>(withinMs: number, probe: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + withinMs;
  for (;;)
    try {
      return await bounded(probe, Math.min(withinMs, PROBE_MS));
    } catch (error) {
      if (isMistake(error) || Date.now() >= deadline) throw error;
      await pause(POLL_MS);
    }
}

async function bounded<Result>(probe: () => Promise<Result>, withinMs: number): Promise<Result> {
  const over = new AbortController();
  const timeout = pause(withinMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no result within ${withinMs / 1_000} s`);
  });
  return Promise.race([probe(), timeout]).finally(() => over.abort());
}

/** `fetch` throws a TypeError with a cause when a connection fails. */
const isMistake = (error: unknown) =>
  error instanceof ReferenceError || (error instanceof TypeError && error.cause === undefined);

/** Waits until `left` returns nothing. Rejects with what it last returned. */
export const untilNone = (withinMs: number, what: string, left: () => Promise<readonly string[]>) =>
  eventually(withinMs, async () => {
    const all = await left();
    if (all.length > 0) throw new Error(`${what}: ${all.join(', ')}`);
  });
