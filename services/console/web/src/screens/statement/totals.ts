import type { Statement } from '@supplier/proto/billing/v1/billing';

/** What a person reads before closing a month. */
const READ = ['charges', 'credits', 'netPence', 'unpriced'] as const;

/** Returns whether the totals are still those that a person read: lines may have come and prices been set since. */
export const isSame = (read: Statement['totals'], now: Statement['totals']): boolean =>
  READ.every((name) => read?.[name] === now?.[name]);
