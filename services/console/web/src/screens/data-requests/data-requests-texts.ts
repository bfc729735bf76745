/** Texts of the data requests. */
export const DATA_REQUESTS = {
  tabs: { request: 'New request', erasures: 'Erasures', retention: 'Retention' },

  steps: { find: 'Find', check: 'Check', act: 'Export or erase', certificate: 'Certificate' },
  stepHints: {
    find: 'By email or telephone',
    check: 'Select this person',
    act: 'Or place a hold',
    certificate: 'What was erased',
  },
  continue: (count: string) => `Continue with ${count}`,
  removed: (reference: string) => `Removed from ${reference}`,
  retentionOf: (accepted: string, others: string) =>
    `Accepted applicants are kept for ${accepted}, others for ${others}.`,
  due: (count: string, days: string) => `${count} will be erased within ${days}.`,
} as const;
