import { Environment } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { withNoun } from '../../format.ts';

const inProduction = ({ environment }: ListedSubmission) => environment === Environment.PRODUCTION;

/** Returns production if all are in production, both if some are. */
export function environmentOf(selected: readonly ListedSubmission[]): Environment | 'both' {
  if (selected.every(inProduction)) return Environment.PRODUCTION;
  return selected.some(inProduction) ? 'both' : Environment.SANDBOX;
}

/** Returns the count by environment: "3 submissions, 1 in PRODUCTION and 2 in the sandbox". */
export function countOf(selected: readonly ListedSubmission[]): string {
  const all = withNoun(selected.length, 'submission');
  const production = selected.filter(inProduction).length;
  if (production === 0) return `${all} in the sandbox`;
  if (production === selected.length) return `${all} in PRODUCTION`;
  return `${all}, ${production} in PRODUCTION and ${selected.length - production} in the sandbox`;
}

/** References are unique only within a supplier: two suppliers may use the same one. */
export function suppliersOf(selected: readonly ListedSubmission[]): string {
  const count = new Set(selected.map(({ accountId }) => accountId)).size;
  return count === 1 ? 'one supplier' : `${count} suppliers`;
}
