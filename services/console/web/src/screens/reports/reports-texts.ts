/** Texts of the reports. */
export const REPORTS = {
  p50: 'p50',
  p95: 'p95',
  outcomes: 'Submissions by outcome',
  ofCap: (used: string, cap: number) => `${used} of ${cap}`,
} as const;
