import type { Environment } from '@supplier/proto/common/v1/status';
import { CloseReason, CloseReasonSchema } from '@supplier/proto/submission/v1/pending_billing';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import { EnumField } from '../../components/fields.tsx';
import { enumFlag } from '../../format.ts';
import { FOR_COLLEAGUES } from './input-action.tsx';

interface CloseBillingProps {
  readonly submissionId: string;
  readonly environment: Environment;
  readonly onOpen?: (isOpen: boolean) => void;
}

/** Closes the billing of an accepted submission whose Application was never created. */
export function CloseBillingAction({ submissionId, environment, onOpen }: CloseBillingProps) {
  const [closeReason, setReason] = useState<CloseReason>(CloseReason.UNSPECIFIED);
  return (
    <ConfirmDialog
      name="Close billing"
      description={`${submissionId} becomes not billable and the supplier is notified. This cannot be undone.`}
      environment={environment}
      command={`sss billing close ${submissionId} --close-reason ${enumFlag(CloseReasonSchema, closeReason)} --yes`}
      isReady={closeReason !== CloseReason.UNSPECIFIED}
      isDestructive
      onOpen={(isOpen) => {
        setReason(CloseReason.UNSPECIFIED);
        onOpen?.(isOpen);
      }}
      run={() => submissions.closePendingBilling({ submissionId, closeReason })}
      toastOf={() => ({ message: 'Billing closed' })}
    >
      <EnumField
        path="close_reason"
        label="Reason"
        description={FOR_COLLEAGUES}
        schema={CloseReasonSchema}
        value={closeReason}
        onChange={setReason}
      />
    </ConfirmDialog>
  );
}
