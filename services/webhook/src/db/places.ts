import type { ClaimedAttempt } from './queue.ts';

/** Attempts to one endpoint that are set aside for events which are claimed as they are recorded. */
export interface Places {
  /** How many; 0 when the endpoint has to wait its turn. */
  readonly count: number;
  /** How long a claimed attempt belongs to this process, in milliseconds. */
  readonly leaseMs: number;
  /** Makes the attempts, whose claims are committed, at most `count`; the rest is given back, as all is when this is not called. */
  begin(claimed: readonly ClaimedAttempt[]): void;
}

export const NO_PLACES: Places = { count: 0, leaseMs: 0, begin() {} };
