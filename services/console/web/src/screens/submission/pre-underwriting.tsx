import { NativeSelect } from '@mantine/core';
import { ReturnReasonCategory, ReturnReasonCategorySchema } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { useState } from 'react';
import type { ActionInput } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import { ReasonField } from '../../components/fields.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { enumFlag, quoted } from '../../format.ts';
import { FOR_COLLEAGUES, InputAction, type SubmissionActionProps } from './input-action.tsx';
import { ReturnReasonField } from './return.tsx';

const OUTCOMES = {
  cleared: 'Cleared',
  returned: 'Not cleared: return it to the supplier',
  closed: 'Not cleared and too late to return: close it',
} as const;
type Outcome = keyof typeof OUTCOMES;

interface CompletionFields {
  readonly outcome: PreUnderwritingState;
  readonly returnReason?: ReturnReasonCategory;
  readonly closeReason?: string;
}

/**
 * Returns the input fields, flags and request fields that complete a pre-underwriting, for one submission or several.
 */
export function useCompletion(): ActionInput<CompletionFields> {
  const [outcome, setOutcome] = useState<Outcome>('cleared');
  const [returnReason, setReturnReason] = useState<ReturnReasonCategory>(ReturnReasonCategory.UNSPECIFIED);
  const [typedReason, setTypedReason] = useState('');
  const closeReason = typedReason.trim();
  const input = {
    cleared: {
      flags: '--outcome cleared',
      request: { outcome: PreUnderwritingState.CLEARED },
      isReady: true,
      field: null,
    },
    returned: {
      flags: `--outcome not_cleared --return-reason ${enumFlag(ReturnReasonCategorySchema, returnReason)}`,
      request: { outcome: PreUnderwritingState.NOT_CLEARED, returnReason },
      isReady: returnReason !== ReturnReasonCategory.UNSPECIFIED,
      field: <ReturnReasonField path="return_reason" value={returnReason} onChange={setReturnReason} />,
    },
    closed: {
      flags: `--outcome not_cleared --close-reason ${quoted(closeReason)}`,
      request: { outcome: PreUnderwritingState.NOT_CLEARED, closeReason },
      isReady: isPurpose(closeReason),
      field: (
        <ReasonField
          path="close_reason"
          description={FOR_COLLEAGUES}
          value={typedReason}
          onChange={setTypedReason}
        />
      ),
    },
  }[outcome];
  return {
    name: 'Complete pre-underwriting',
    command: 'sss pre-underwriting complete',
    flags: input.flags,
    request: input.request,
    isReady: input.isReady,
    fields: (
      <>
        <NativeSelect
          label="Outcome"
          mb="sm"
          value={outcome}
          onChange={(event) => setOutcome(event.target.value as Outcome)}
          data={Object.entries(OUTCOMES).map(([value, label]) => ({ value, label }))}
        />
        {input.field}
      </>
    ),
  };
}

/** Completes a pre-underwriting that failed by policy and was left to staff. */
export const CompletePreUnderwritingAction = (props: SubmissionActionProps) => (
  <InputAction
    {...props}
    input={useCompletion()}
    description={`Pre-underwriting of ${props.submission.externalReference} ends, which may bill or return it. The supplier is notified. This cannot be undone.`}
    done={`Pre-underwriting of ${props.submission.externalReference} is complete`}
    send={(request) => submissions.completePreUnderwriting(request)}
  />
);
