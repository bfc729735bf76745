import type { DryRunChange } from '@supplier/proto/submission/v1/policy_effects';
import { sumOf } from '../../figures.ts';

/** Returns how many of the changed submissions have each decision before and after. */
export function effectOf(changes: readonly DryRunChange[]) {
  const countOf = (counted: readonly DryRunChange[]) => sumOf(counted, ({ count }) => count);
  return [...new Set(changes.flatMap(({ from, to }) => [from, to]))]
    .toSorted((a, b) => a - b)
    .map((status) => ({
      status,
      before: countOf(changes.filter(({ from }) => from === status)),
      after: countOf(changes.filter(({ to }) => to === status)),
    }));
}
