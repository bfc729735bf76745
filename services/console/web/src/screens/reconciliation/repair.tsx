import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { formatTime, withNoun } from '../../format.ts';
import type { Comparison } from './reconcile.ts';
import type { ComparisonResults } from './use-reconciliation.ts';

interface RepairProps {
  /** The comparison that found the differences. */
  readonly results: ComparisonResults;
  readonly begin: (comparison: Comparison) => void;
}

/** Repeats the comparison with repairs. The results replace the differences on the screen. */
export function RepairAction({ results: { comparison, differences, isRunning }, begin }: RepairProps) {
  const { since, until } = comparison;
  return (
    <ConfirmDialog
      name="Repair differences"
      description={`Found ${withNoun(differences.length, 'difference')}. Compares all changes from ${formatTime(timestampFromDate(since))} until ${formatTime(timestampFromDate(until))} again, posts missing ledger lines, sends lost webhook events and removes unreferenced objects. This cannot be undone.`}
      environment="both"
      command={`sss reconcile --since ${since.toISOString()} --until ${until.toISOString()} --repair --yes`}
      // A running comparison would lose its findings.
      isReady={!isRunning}
      isDestructive
      run={async () => begin({ ...comparison, repair: true })}
      toastOf={() => ({ message: 'Repair started' })}
    />
  );
}
