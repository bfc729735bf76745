/** Texts of a submission's screen. */
export const SUBMISSION = {
  noDeliveries: 'No webhook events. Events appear here once the supplier has an endpoint.',
} as const;
