/** Reasons for a failed authentication, for the metrics. The sender learns only what the header itself shows. */
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
