const DAY_MS = 86_400_000;

/** How long applicants are kept, in days since the decision, or since receipt if there was none. */
export interface RetentionPeriods {
  readonly acceptedDays: number;
  readonly notAcceptedDays: number;
}

/** Submissions decided before these times, or received before and never decided, are past their retention at `now`. */
export function keptSince({ acceptedDays, notAcceptedDays }: RetentionPeriods, now: Date) {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return { accepted: before(acceptedDays), notAccepted: before(notAcceptedDays) };
}
