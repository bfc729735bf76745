/** Texts of the shell. */
export const SHELL = {
  sandbox: 'Sandbox',
  production: 'Production',
  needsAttention: (count: number) => `${count} ${count === 1 ? 'needs' : 'need'} attention`,
  searchPlaceholder: 'Search by reference, submission, APP-…, request ID',
} as const;
