import { FormGroup, HTMLSelect } from '@blueprintjs/core';
import { CloseReason, CloseReasonSchema } from '@supplier/proto/billing/v1/pending_leads';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { billing } from '../calls.ts';
import { flagOf, wordOf } from '../words.ts';
import { Act } from './act.tsx';

interface CloseLeadProps {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Ends the billing of an accepted lead whose Application never came. */
export function CloseLeadAct({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: CloseLeadProps) {
  const [closeReason, setReason] = useState(CloseReason.UNSPECIFIED);
  return (
    <Act
      name="Close its billing"
      says={`${externalReference} is not billable from then on, and the supplier is told.`}
      environment={environment}
      command={`sss leads close ${submissionId} --close-reason ${flagOf(CloseReasonSchema, closeReason)} --yes`}
      isReady={closeReason !== CloseReason.UNSPECIFIED}
      onOpen={onOpen}
      run={() => billing.closePendingLead({ submissionId, closeReason })}
    >
      <FormGroup label="Why no Application comes of it" labelFor="close-reason">
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
