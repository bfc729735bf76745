import type { Page } from './browser.ts';

/** Thrown by a probe when the expected state hasn't been reached, with the state it saw instead. */
export class NotYet extends Error {}

export interface Patience {
  /** The longest time to wait in milliseconds; 60 s by default. */
  readonly withinMs?: number;
  /** Treats every error of the probe as "not yet", for the time in which a process is down. */
  readonly throughErrors?: boolean;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/**
 * Repeats `probe` until it returns, and returns its result. A probe asks for a retry by throwing {@link NotYet}; any
 * other error ends the wait. On timeout, throws with `what` and the last state seen.
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T>,
  { withinMs = 60_000, throughErrors = false }: Patience = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (!(error instanceof NotYet) && !throughErrors) throw error;
      if (Date.now() + pause > deadline) {
        const seen = error instanceof Error ? error.message : String(error);
        throw new Error(`${what}: timed out after ${withinMs} ms; last seen: ${seen}`, {
          cause: error,
        });
      }
    }
    await pauseFor(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/**
 * Waits until an expression is true in a page. Unlike `waitForFunction`, which evaluates a string in the page itself
 * from the second time on, this works with a content security policy.
 */
export const waitUntilTrue = (page: Page, expression: string, patience?: Patience): Promise<void> =>
  waitFor(
    expression,
    async () => {
      if (!(await page.evaluate(expression))) throw new NotYet('it is false');
    },
    patience,
  );

const pauseFor = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
