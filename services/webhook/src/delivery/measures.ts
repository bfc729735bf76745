import type { ClaimedAttempt } from '../db/claim-attempts.ts';
import type { Outcome } from '../domain/attempt.ts';

/** What the engine reports of its attempts, to be measured. */
export interface Measures {
  began(claimed: ClaimedAttempt): void;
  /** The receiver is done with, after that many seconds. */
  answered(outcome: Outcome, seconds: number): void;
  /** The outcome is recorded. */
  recorded(outcome: Outcome): void;
  /** The attempt is no longer under way, recorded or not. */
  finished(): void;
}

export const UNMEASURED: Measures = {
  began: () => {},
  answered: () => {},
  recorded: () => {},
  finished: () => {},
};
