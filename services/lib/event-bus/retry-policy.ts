/** Waits before the next delivery of an event whose handler failed. */
const FAILURE_DELAYS_MS = [250, 1_000, 2_000, 5_000, 15_000, 30_000, 60_000];
const UNAVAILABLE_DELAY_MS = 2_000;

/** What becomes of an event after its handler failed. */
export type AfterFailure = { readonly retryInMs: number } | 'dead-letter';

/**
 * Decides by the number of deliveries so far, this one included. An event is given up after its eighth failure; while
 * the database is away that is not the event's fault, and it is tried for as long as it takes.
 */
export function afterFailure(deliveries: number, unavailable: boolean): AfterFailure {
  if (unavailable) return { retryInMs: UNAVAILABLE_DELAY_MS };
  const retryInMs = FAILURE_DELAYS_MS[deliveries - 1];
  return retryInMs === undefined ? 'dead-letter' : { retryInMs };
}
