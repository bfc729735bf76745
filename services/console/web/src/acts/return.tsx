import { FormGroup, HTMLSelect } from '@blueprintjs/core';
import {
  ReturnReasonCategory,
  ReturnReasonCategorySchema,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { flagOf, wordOf } from '../words.ts';
import { Act, type Stated } from './act.tsx';

/** Returns the input field, flags and request fields of a return, for one submission or several. */
export function useReturn(): Stated<{ readonly reasonCategory: ReturnReasonCategory }> {
  const [reasonCategory, setReason] = useState<ReturnReasonCategory>(ReturnReasonCategory.UNSPECIFIED);
  return {
    name: 'Return',
    command: 'sss submissions return',
    flags: `--reason ${flagOf(ReturnReasonCategorySchema, reasonCategory)}`,
    request: { reasonCategory },
    isReady: reasonCategory !== ReturnReasonCategory.UNSPECIFIED,
    fields: <ReturnReason id="return-reason" value={reasonCategory} onChange={setReason} />,
  };
}

interface ReturnReasonProps {
  readonly id: string;
  readonly value: ReturnReasonCategory;
  readonly onChange: (value: ReturnReasonCategory) => void;
}

/** Input of the reason for a return. */
export const ReturnReason = ({ id, value, onChange }: ReturnReasonProps) => (
  <FormGroup label="Why" labelFor={id} helperText="The supplier is told.">
    <HTMLSelect
      id={id}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
      options={ReturnReasonCategorySchema.values.map(({ number }) => ({
        value: number,
        label: number === 0 ? 'choose …' : wordOf(ReturnReasonCategorySchema, number),
      }))}
    />
  </FormGroup>
);

/** Returns an accepted lead to its supplier, who is not charged for it. */
export function ReturnAct({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}) {
  const { name, command, flags, request, isReady, fields } = useReturn();
  return (
    <Act
      name={name}
      says={`${externalReference} goes back to the supplier, who is notified and not charged for it. It cannot be accepted again.`}
      environment={environment}
      command={`${command} ${submissionId} ${flags} --yes`}
      isReady={isReady}
      onOpen={onOpen}
      run={() => submissions.returnSubmission({ submissionId, ...request })}
    >
      {fields}
    </Act>
  );
}
