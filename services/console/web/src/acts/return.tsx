import { FormGroup, HTMLSelect } from '@blueprintjs/core';
import {
  ReturnReasonCategory,
  ReturnReasonCategorySchema,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { flagOf, wordOf } from '../words.ts';
import { Act } from './act.tsx';

/** Gives an accepted lead back to its supplier, who is not charged for it. */
export function ReturnAct({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}) {
  const [reasonCategory, setReason] = useState<ReturnReasonCategory>(ReturnReasonCategory.UNSPECIFIED);
  return (
    <Act
      name="Return"
      says={`${externalReference} goes back to the supplier, who is notified and not charged for it. It cannot be accepted again.`}
      environment={environment}
      command={`sss submissions return ${submissionId} --reason ${flagOf(ReturnReasonCategorySchema, reasonCategory)} --yes`}
      isReady={reasonCategory !== ReturnReasonCategory.UNSPECIFIED}
      onOpen={onOpen}
      run={() => submissions.returnSubmission({ submissionId, reasonCategory })}
    >
      <FormGroup label="Why" labelFor="return-reason" helperText="The supplier is told.">
        <HTMLSelect
          id="return-reason"
          value={reasonCategory}
          onChange={(event) => setReason(Number(event.target.value))}
          options={ReturnReasonCategorySchema.values.map(({ number }) => ({
            value: number,
            label: number === 0 ? 'choose …' : wordOf(ReturnReasonCategorySchema, number),
          }))}
        />
      </FormGroup>
    </Act>
  );
}
