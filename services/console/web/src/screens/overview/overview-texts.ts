/** Texts of the overview. */
export const OVERVIEW = {
  oldest: (age: string) => `Oldest ${age}`,
  outcomes: 'Submissions by outcome',
  failingFor: (attempts: string, age: string, events: string) =>
    `Endpoint: ${attempts} in ${age}, ${events} pending`,
  parkedWork: (count: string) => `Parked work: ${count}`,
  pendingBilling: (count: string) => `Billing pending: ${count}`,
} as const;
