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
import { STATEMENT } from './statement-texts.ts';
import { isSame } from './totals.ts';

/** Closes a past month. The dialog stays open even if the month is closed in the meantime. */
export function CloseMonthAction({ statement: present }: { readonly statement: Statement }) {
  const { roles } = useSession();
  const [{ accountId, month, closedAt, totals }, onOpen] = useFrozen(present);
  const [allowUnpriced, setAllowUnpriced] = useState(false);
  if (closedAt || month >= thisMonth() || !mayCall(roles, BillingService.method.closeMonth)) return null;
  const net = formatPounds(totals?.netPence ?? 0n);
  const lines = withNoun((totals?.charges ?? 0n) + (totals?.credits ?? 0n), STATEMENT.line);
  return (
    <ConfirmDialog
      name={STATEMENT.close}
      description={STATEMENT.closeEffect(formatMonth(month), lines, net)}
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
            STATEMENT.totalsChanged(formatPounds(now?.netPence ?? 0n)),
            Code.FailedPrecondition,
          );
        return billing.closeMonth({ accountId, month, allowUnpriced });
      }}
      toastOf={() => ({ message: STATEMENT.monthClosed })}
    >
      {totals?.unpriced ? (
        <CheckField
          label={STATEMENT.closeUnpriced(withNoun(totals.unpriced, STATEMENT.line))}
          checked={allowUnpriced}
          onChange={setAllowUnpriced}
        />
      ) : null}
    </ConfirmDialog>
  );
}
