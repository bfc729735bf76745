import { Code, ConnectError } from '@connectrpc/connect';
import { BillingService, type Statement } from '@supplier/proto/billing/v1/billing';
import { Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { billing, mayCall } from '../../calls.ts';
import { CheckField } from '../../components/fields.tsx';
import { formatMonth, thisMonth } from '../../dates.ts';
import { formatPounds, withNoun } from '../../format.ts';
import { useSession } from '../../session.ts';
import { isSame } from './totals.ts';

/** Closes a past month. The dialog stays open even if the month is closed in the meantime. */
export function CloseMonthAction({ statement: present }: { readonly statement: Statement }) {
  const { roles } = useSession();
  const [{ accountId, month, closedAt, totals }, onOpen] = useFrozen(present);
  const [allowUnpriced, setAllowUnpriced] = useState(false);
  if (closedAt || month >= thisMonth() || !mayCall(roles, BillingService.method.closeMonth)) return null;
  const net = formatPounds(totals?.netPence ?? 0n);
  const lines = withNoun((totals?.charges ?? 0n) + (totals?.credits ?? 0n), 'line');
  return (
    <ConfirmDialog
      name="Close month"
      description={`Closes ${formatMonth(month)} with ${lines} at ${net}. Later lines go to the next open month. This cannot be undone.`}
      environment={Environment.PRODUCTION}
      command={`sss statements close ${accountId} ${month}${allowUnpriced ? ' --allow-unpriced' : ''} --yes`}
      isDestructive
      onOpen={(isOpen) => {
        onOpen(isOpen);
        setAllowUnpriced(false);
      }}
      run={async () => {
        // Closing is permanent, so close only the totals that the person read.
        const { totals: now } = await billing.getStatement({ accountId, month });
        if (!isSame(totals, now))
          throw new ConnectError(
            `The statement now comes to ${formatPounds(now?.netPence ?? 0n)}. Review it, then close it.`,
            Code.FailedPrecondition,
          );
        return billing.closeMonth({ accountId, month, allowUnpriced });
      }}
      toastOf={() => ({ message: 'Month closed' })}
    >
      {totals?.unpriced ? (
        <CheckField
          label={`Close anyway. ${withNoun(totals.unpriced, 'line')} will stay unpriced.`}
          checked={allowUnpriced}
          onChange={setAllowUnpriced}
        />
      ) : null}
    </ConfirmDialog>
  );
}
