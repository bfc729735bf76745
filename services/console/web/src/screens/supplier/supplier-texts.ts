/** Texts of a supplier's screen. */
export const SUPPLIER = {
  tabs: {
    overview: 'Overview',
    terms: 'Terms',
    credentials: 'Credentials',
    webhooks: 'Webhooks',
    events: 'Events',
  },
  outcomes: 'Submissions by outcome',
  suspendEffect: (name: string, credentials: string) =>
    `Rejects all API calls from ${name} (${credentials}) until you activate the account again. Submissions already received are still processed.`,
  activateEffect: (name: string, credentials: string) =>
    `Accepts API calls from ${name} again (${credentials}).`,
  issued: (id: string) => `The credential ${id} was issued.`,
} as const;
