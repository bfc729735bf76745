import { Code, ConnectError } from '@connectrpc/connect';
import { Checkbox } from '@mantine/core';
import { BillingService, type Statement } from '@supplier/proto/billing/v1/billing';
import { Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { billing, mayCall } from '../calls.ts';
import { formatPounds } from '../format.ts';
import { thisMonth } from '../parts/months.ts';
import { useSession } from '../session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** Closes a past month. The dialog stays open even if the month is closed in the meantime. */
export function CloseMonthAction({ statement: present }: { readonly statement: Statement }) {
  const { roles } = useSession();
  const [begunWith, setBegunWith] = useState<Statement>();
  const [allowUnpriced, setAllowUnpriced] = useState(false);
  const { accountId, month, closedAt, totals } = begunWith ?? present;
  if (closedAt || month >= thisMonth() || !mayCall(roles, BillingService.method.closeMonth)) return null;
  return (
    <ConfirmDialog
      name="Close the month"
      description={`Closes the statement of ${month} at ${formatPounds(totals?.netPence ?? 0n)}. Later lines go to the next open month. This cannot be undone.`}
      environment={Environment.PRODUCTION}
      command={`sss statements close ${accountId} ${month}${allowUnpriced ? ' --allow-unpriced' : ''} --yes`}
      isReady
      onOpen={(isOpen) => {
        setBegunWith(isOpen ? present : undefined);
        setAllowUnpriced(false);
      }}
      run={async () => {
        // Closing is permanent, so close only the totals that the person read: a price may have been set since.
        const { totals: now } = await billing.getStatement({ accountId, month });
        if (now?.netPence !== totals?.netPence || now?.unpriced !== totals?.unpriced)
          throw new ConnectError(
            `It comes to ${formatPounds(now?.netPence ?? 0n)} by now: look at it again, then close it.`,
            Code.FailedPrecondition,
          );
        return billing.closeMonth({ accountId, month, allowUnpriced });
      }}
    >
      {totals?.unpriced ? (
        <Checkbox
          label={`Close it without a price for ${totals.unpriced} of its lines`}
          checked={allowUnpriced}
          onChange={(event) => setAllowUnpriced(event.currentTarget.checked)}
        />
      ) : null}
    </ConfirmDialog>
  );
}
