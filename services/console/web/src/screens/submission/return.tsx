import { ReturnReasonCategory, ReturnReasonCategorySchema } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import type { ActionInput } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import { EnumField } from '../../components/fields.tsx';
import { enumFlag } from '../../format.ts';
import { InputAction, type SubmissionActionProps } from './input-action.tsx';

/** Returns the input field, flags and request fields of a return, for one submission or several. */
export function useReturn(): ActionInput<{ readonly reasonCategory: ReturnReasonCategory }> {
  const [reasonCategory, setReason] = useState<ReturnReasonCategory>(ReturnReasonCategory.UNSPECIFIED);
  return {
    name: 'Return',
    command: 'sss submissions return',
    flags: `--reason ${enumFlag(ReturnReasonCategorySchema, reasonCategory)}`,
    request: { reasonCategory },
    isReady: reasonCategory !== ReturnReasonCategory.UNSPECIFIED,
    isDestructive: true,
    fields: <ReturnReasonField path="reason_category" value={reasonCategory} onChange={setReason} />,
  };
}

export const ReturnReasonField = (props: {
  readonly path: string;
  readonly value: ReturnReasonCategory;
  readonly onChange: (value: ReturnReasonCategory) => void;
}) => (
  <EnumField
    {...props}
    label="Reason"
    description="The supplier is notified."
    schema={ReturnReasonCategorySchema}
  />
);

/** Returns an accepted submission to its supplier, who is not charged for it. */
export const ReturnAction = (props: SubmissionActionProps) => (
  <InputAction
    {...props}
    input={useReturn()}
    description={`Returns ${props.submission.externalReference} to the supplier, who is notified and not charged. It cannot be accepted again.`}
    done={`${props.submission.externalReference} is returned`}
    send={(request) => submissions.returnSubmission(request)}
  />
);
