/** The workers of this process that wait for new work, each with the call that makes it look at once. */
export interface WakeUps {
  /** Events to publish. */
  events(): void;
  /** Submissions to decide. */
  undecided(): void;
  /** Accepted submissions without their Application. */
  unminted(): void;
  /** Applications without pre-underwriting. */
  unassessed(): void;
  /** Applicants to erase. */
  erasures(): void;
}

/**
 * The wake-ups as operations call them. Until the workers are connected calls do nothing: what was recorded before
 * is found by the workers' polls.
 */
export interface Wakes extends WakeUps {
  /** Names the workers. Called once, when they have been started. */
  connect(workers: WakeUps): void;
}

export function createWakes(): Wakes {
  let connected: WakeUps | undefined;
  return {
    events: () => connected?.events(),
    undecided: () => connected?.undecided(),
    unminted: () => connected?.unminted(),
    unassessed: () => connected?.unassessed(),
    erasures: () => connected?.erasures(),
    connect(workers) {
      connected = workers;
    },
  };
}
