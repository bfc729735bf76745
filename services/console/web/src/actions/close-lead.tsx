import { NativeSelect } from '@mantine/core';
import type { Environment } from '@supplier/proto/common/v1/status';
import { CloseReason, CloseReasonSchema } from '@supplier/proto/submission/v1/pending_leads';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { enumFlag, enumName } from '../format.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface CloseLeadProps {
  readonly submissionId: string;
  readonly environment: Environment;
  readonly onOpen?: (isOpen: boolean) => void;
}

/** Closes an accepted lead whose Application was never created, so that it is not billed. */
export function CloseLeadAction({ submissionId, environment, onOpen }: CloseLeadProps) {
  const [closeReason, setReason] = useState<CloseReason>(CloseReason.UNSPECIFIED);
  return (
    <ConfirmDialog
      name="Close billing"
      description={`${submissionId} becomes not billable and the supplier is notified. This cannot be undone.`}
      environment={environment}
      command={`sss leads close ${submissionId} --close-reason ${enumFlag(CloseReasonSchema, closeReason)} --yes`}
      isReady={closeReason !== CloseReason.UNSPECIFIED}
      onOpen={(isOpen) => {
        setReason(CloseReason.UNSPECIFIED);
        onOpen?.(isOpen);
      }}
      run={() => submissions.closePendingLead({ submissionId, closeReason })}
    >
      <NativeSelect
        label="Reason"
        description="For colleagues. Suppliers never see it."
        id="close-reason"
        value={closeReason}
        onChange={(event) => setReason(Number(event.target.value))}
        data={CloseReasonSchema.values.map(({ number }) => ({
          value: String(number),
          label: number === 0 ? 'Choose…' : enumName(CloseReasonSchema, number),
        }))}
      />
    </ConfirmDialog>
  );
}
