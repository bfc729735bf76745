/** What is wrong with a credential: for the metrics. Its sender is told of what the header itself shows, and no more. */
export const FAILURE_REASONS = [
  'absent',
  'malformed',
  'other environment',
  'unknown',
  'wrong secret',
  'revoked',
  'expired',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];
