const DAY_MS = 86_400_000;

/** How long applicants are kept, in days since the decision, or since the receipt of what was never decided. */
export interface RetentionPeriods {
  readonly acceptedDays: number;
  readonly notAcceptedDays: number;
}

/** What was decided, or received and never decided, before these times is past its retention at `now`. */
export function keptSince({ acceptedDays, notAcceptedDays }: RetentionPeriods, now: Date) {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return { accepted: before(acceptedDays), notAccepted: before(notAcceptedDays) };
}
