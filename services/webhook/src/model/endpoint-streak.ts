/** Consecutive failed attempts without a success in between. */
export interface FailureStreak {
  /** When the first of them ended. */
  readonly failingSince: Date;
  readonly failedAttempts: bigint;
  /** When operators were notified of the streak. */
  readonly notifiedAt: Date | undefined;
}

export interface AttemptEnding {
  readonly endedAt: Date;
  readonly succeeded: boolean;
}

export interface StreakChange {
  /** Undefined when the latest attempt succeeded. */
  readonly streak: FailureStreak | undefined;
  /** Set when a success ended a streak after operators were notified. */
  readonly recovery: { readonly streak: FailureStreak; readonly recoveredAt: Date } | undefined;
}

/** How long every attempt at an endpoint must have failed before operators are notified: one hour. */
export const FAILING_AFTER_MS = 3_600_000;

/**
 * Returns the streak after attempts, in the order in which they ended: a success ends it, a failure continues it or
 * starts one. If a success and a failure ended in the same millisecond, the success counts as the later one.
 */
export function streakAfter(
  before: FailureStreak | undefined,
  endings: readonly AttemptEnding[],
): StreakChange {
  let streak = before;
  let recovery: StreakChange['recovery'];
  for (const { endedAt, succeeded } of endings.toSorted(byTime)) {
    if (!succeeded) {
      streak = streak
        ? { ...streak, failedAttempts: streak.failedAttempts + 1n }
        : { failingSince: endedAt, failedAttempts: 1n, notifiedAt: undefined };
      continue;
    }
    if (streak?.notifiedAt) recovery = { streak, recoveredAt: endedAt };
    streak = undefined;
  }
  return { streak, recovery };
}

function byTime(one: AttemptEnding, other: AttemptEnding): number {
  return one.endedAt.getTime() - other.endedAt.getTime() || Number(one.succeeded) - Number(other.succeeded);
}
