import type { Environment } from '@supplier/proto/common/v1/status';
import { CloseReason, CloseReasonSchema } from '@supplier/proto/submission/v1/pending_leads';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import { EnumField } from '../../components/fields.tsx';
import { enumFlag } from '../../format.ts';
import { SUBMISSION_ACTIONS } from './submission-action-texts.ts';

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
      name={SUBMISSION_ACTIONS.closeBilling}
      description={SUBMISSION_ACTIONS.closeEffect(submissionId)}
      environment={environment}
      command={`sss leads close ${submissionId} --close-reason ${enumFlag(CloseReasonSchema, closeReason)} --yes`}
      isReady={closeReason !== CloseReason.UNSPECIFIED}
      isDestructive
      onOpen={(isOpen) => {
        setReason(CloseReason.UNSPECIFIED);
        onOpen?.(isOpen);
      }}
      run={() => submissions.closePendingLead({ submissionId, closeReason })}
      toastOf={() => ({ message: SUBMISSION_ACTIONS.closed })}
    >
      <EnumField
        path="close_reason"
        label={SUBMISSION_ACTIONS.closeReason}
        description={SUBMISSION_ACTIONS.forColleagues}
        schema={CloseReasonSchema}
        value={closeReason}
        onChange={setReason}
      />
    </ConfirmDialog>
  );
}
