import { FormGroup, HTMLSelect } from '@blueprintjs/core';
import type { Environment } from '@supplier/proto/common/v1/status';
import { CloseReason, CloseReasonSchema } from '@supplier/proto/submission/v1/pending_leads';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { flagOf, wordOf } from '../words.ts';
import { Act } from './act.tsx';

interface CloseLeadProps {
  readonly submissionId: string;
  readonly environment: Environment;
  readonly onOpen?: (isOpen: boolean) => void;
}

/** Closes an accepted lead whose Application was never created, so that it is not billed. */
export function CloseLeadAct({ submissionId, environment, onOpen }: CloseLeadProps) {
  const [closeReason, setReason] = useState<CloseReason>(CloseReason.UNSPECIFIED);
  return (
    <Act
      name="End its billing"
      says={`${submissionId} is not billable from then on, and the supplier is told. This cannot be taken back.`}
      environment={environment}
      command={`sss leads close ${submissionId} --close-reason ${flagOf(CloseReasonSchema, closeReason)} --yes`}
      isReady={closeReason !== CloseReason.UNSPECIFIED}
      onOpen={(isOpen) => {
        setReason(CloseReason.UNSPECIFIED);
        onOpen?.(isOpen);
      }}
      run={() => submissions.closePendingLead({ submissionId, closeReason })}
    >
      <FormGroup label="Why" labelFor="close-reason" helperText="For colleagues; the supplier never sees it.">
        <HTMLSelect
          id="close-reason"
          value={closeReason}
          onChange={(event) => setReason(Number(event.target.value))}
          options={CloseReasonSchema.values.map(({ number }) => ({
            value: number,
            label: number === 0 ? 'choose …' : wordOf(CloseReasonSchema, number),
          }))}
        />
      </FormGroup>
    </Act>
  );
}
