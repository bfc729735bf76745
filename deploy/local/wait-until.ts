import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  readonly withinMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Asks again and again until `probe` answers with a value, for things that announce themselves to nobody.
 * Resolves to undefined when the time is over; rejects when the signal aborts.
 */
export async function waitUntil<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  { withinMs, everyMs, signal }: Patience,
): Promise<T | undefined> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) return undefined;
    await pause(everyMs, undefined, signal ? { signal } : {});
  }
}
