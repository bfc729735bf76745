import type { DryRunChange } from '@supplier/proto/submission/v1/policy_effects';
import { sumOf } from '../../figures.ts';

/** Whether a dry run that ended shows no effect. One that failed for some submissions doesn't know. */
export const isWithoutEffect = ({ finished, changed, failed }: DryRunCounts): boolean =>
  finished && changed === 0n && failed === 0n;

interface DryRunCounts {
  readonly finished: boolean;
  readonly changed: bigint;
  readonly failed: bigint;
}

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
