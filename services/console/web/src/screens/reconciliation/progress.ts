import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import { type Finding, FindingKind, RepairOutcome } from '@supplier/proto/reconciliation/v1/reconciliation';
import { withNoun } from '../../format.ts';
import type { Comparison, Ending } from './reconcile.ts';

/** The progress of one service. `ending` is undefined while it is running. */
export interface Progress {
  readonly compared: bigint;
  /** All differences, kept or not. `left` counts those not repaired. */
  readonly differences: number;
  readonly left: number;
  readonly ending: Ending | undefined;
}

/** The progress of all services. */
export interface ComparisonProgress {
  readonly comparison: Comparison;
  readonly services: Readonly<Record<StaffService, Progress>>;
  readonly isRunning: boolean;
}

export const NOT_STARTED: Progress = { compared: 0n, differences: 0, left: 0, ending: undefined };

/** Returns the progress after another call, which compared `count` records. */
export const withCompared = (before: Progress, count: bigint): Progress => ({
  ...before,
  compared: before.compared + count,
});

/** Returns the progress after another finding. */
export function withFinding({ differences, left, ...before }: Progress, { kind, repair }: Finding): Progress {
  const isDifference = kind === FindingKind.DIFFERENCE;
  const isLeft = isDifference && repair !== RepairOutcome.REPAIRED;
  return { ...before, differences: differences + Number(isDifference), left: left + Number(isLeft) };
}

/** Returns how far all services are, or what they found together. */
export function summaryOf({ comparison, services, isRunning }: ComparisonProgress): string {
  const all = Object.values(services);
  const done = all.filter(({ ending }) => ending === 'done').length;
  if (isRunning) return `In progress: ${done} of ${all.length} services are done.`;
  const differences = all.reduce((sum, one) => sum + one.differences, 0);
  const left = all.reduce((sum, one) => sum + one.left, 0);
  const outcome = comparison.repair ? `, ${left} not repaired` : '';
  const missing = done < all.length ? ' Not everything was compared.' : '';
  return `${withNoun(differences, 'difference')}${outcome}.${missing}`;
}
