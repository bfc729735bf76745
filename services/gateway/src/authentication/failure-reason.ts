/** What is wrong with a credential: for the metrics, never for its sender. */
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
