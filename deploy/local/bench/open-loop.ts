import { setTimeout as pause } from 'node:timers/promises';

/** So many requests a second for so long, whatever becomes of them. */
export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
}

/** What became of one request. */
export interface Outcome {
  /** Milliseconds from the time at which it was due to its end: time that it was sent late counts. */
  readonly latencyMs: number;
  /** Milliseconds from the time at which it was due until it was sent. */
  readonly lateMs: number;
  /** What it failed with. */
  readonly failure?: string;
}

/** When the request of this index is due, in milliseconds after the start. */
export const dueAt = ({ perSecond }: Pace, index: number): number => (index * 1_000) / perSecond;

/** How many requests are due once so much time has passed. */
export function dueAfter({ perSecond, seconds }: Pace, elapsedMs: number): number {
  return Math.min(Math.floor((elapsedMs / 1_000) * perSecond) + 1, perSecond * seconds);
}

/**
 * Sends requests when they are due and waits for none of them before the next: a service that falls behind is not spared.
 * Resolves when all have ended. What is under way is bounded by the time that `send` may take.
 */
export async function openLoop(pace: Pace, send: (index: number) => Promise<void>): Promise<Outcome[]> {
  const outcomes: Promise<Outcome>[] = [];
  const total = pace.perSecond * pace.seconds;
  const start = performance.now();
  while (outcomes.length < total) {
    const due = dueAfter(pace, performance.now() - start);
    while (outcomes.length < due) {
      const index = outcomes.length;
      outcomes.push(follow(start + dueAt(pace, index), () => send(index)));
    }
    await pause(Math.max(0, start + dueAt(pace, due) - performance.now()));
  }
  return Promise.all(outcomes);
}

async function follow(due: number, send: () => Promise<void>): Promise<Outcome> {
  const lateMs = performance.now() - due;
  try {
    await send();
    return { latencyMs: performance.now() - due, lateMs };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { latencyMs: performance.now() - due, lateMs, failure };
  }
}
