import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { mayCall } from '../calls.ts';
import type { Comparison } from '../reconcile.ts';
import { useSession } from '../session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** Formats a time as an `sss` flag. */
export const timeFlag = (at: Date): string => at.toISOString();

interface PutRightProps {
  /** The comparison that found the differences. */
  readonly comparison: Comparison;
  readonly begin: (comparison: Comparison) => void;
  /** False during a comparison, whose findings would be lost. */
  readonly isReady: boolean;
}

/** Repeats the comparison with repairs. The results replace the differences on the screen. */
export function RepairAction({ comparison, begin, isReady }: PutRightProps) {
  const { roles } = useSession();
  const { since, until } = comparison;
  if (!mayCall(roles, ReconciliationService.method.reconcile)) return null;
  return (
    <ConfirmDialog
      name="Repair differences"
      description={`Compares all changes from ${timeFlag(since)} until ${timeFlag(until)} again. Posts missing ledger lines, sends lost webhook events and removes all unreferenced objects. This cannot be undone.`}
      environment="both"
      command={`sss reconcile --since ${timeFlag(since)} --until ${timeFlag(until)} --repair --yes`}
      isReady={isReady}
      onOpen={() => {}}
      run={async () => begin({ since, until, repair: true })}
    />
  );
}
