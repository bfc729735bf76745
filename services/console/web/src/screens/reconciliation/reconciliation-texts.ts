/** Texts of the reconciliation screen. */
export const RECONCILIATION = {
  repairEffect: (differences: string, since: string, until: string) =>
    `Found ${differences}. Compares all changes from ${since} until ${until} again, posts missing ledger lines, sends lost webhook events and removes unreferenced objects. This cannot be undone.`,
} as const;
