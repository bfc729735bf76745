// Every wait here is bounded below this, so that a wait that fails says what it waited for before jest gives up.
jest.setTimeout(60_000);

/** Thrown by a probe to say that what is waited for has not happened yet, and what was seen instead. */
export class NotYet extends Error {}

export interface Patience {
  /** The most milliseconds to wait; 60 s unless told. */
  readonly withinMs?: number;
  /** Treat every error of the probe as "not yet", for the time in which a process is down. */
  readonly throughErrors?: boolean;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/**
 * Repeats `probe` until it answers, and gives back its answer. A probe says "again" by throwing {@link NotYet}; any other
 * error ends the wait. Throws with `what` and with the last thing seen once the time is over.
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
        throw new Error(`${what}: did not happen within ${withinMs} ms; last seen: ${seen}`, {
          cause: error,
        });
      }
    }
    await pauseFor(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

const pauseFor = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
