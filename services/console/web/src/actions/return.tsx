import { NativeSelect } from '@mantine/core';
import {
  ReturnReasonCategory,
  ReturnReasonCategorySchema,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { enumFlag, enumName } from '../format.ts';
import { type ActionInput, ConfirmDialog } from './confirm-dialog.tsx';

/** Returns the input field, flags and request fields of a return, for one submission or several. */
export function useReturn(): ActionInput<{ readonly reasonCategory: ReturnReasonCategory }> {
  const [reasonCategory, setReason] = useState<ReturnReasonCategory>(ReturnReasonCategory.UNSPECIFIED);
  return {
    name: 'Return',
    command: 'sss submissions return',
    flags: `--reason ${enumFlag(ReturnReasonCategorySchema, reasonCategory)}`,
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
  <NativeSelect
    label="Reason"
    description="The supplier is notified."
    id={id}
    value={value}
    onChange={(event) => onChange(Number(event.target.value))}
    data={ReturnReasonCategorySchema.values.map(({ number }) => ({
      value: String(number),
      label: number === 0 ? 'Choose…' : enumName(ReturnReasonCategorySchema, number),
    }))}
  />
);

/** Returns an accepted lead to its supplier, who is not charged for it. */
export function ReturnAction({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}) {
  const { name, command, flags, request, isReady, fields } = useReturn();
  return (
    <ConfirmDialog
      name={name}
      description={`Returns ${externalReference} to the supplier, who is notified and not charged. It cannot be accepted again.`}
      environment={environment}
      command={`${command} ${submissionId} ${flags} --yes`}
      isReady={isReady}
      onOpen={onOpen}
      run={() => submissions.returnSubmission({ submissionId, ...request })}
    >
      {fields}
    </ConfirmDialog>
  );
}
