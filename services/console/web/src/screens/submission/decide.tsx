import { Status, StatusSchema } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import type { ActionInput } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import { CheckField, ReasonField } from '../../components/fields.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { enumFlag, quoted } from '../../format.ts';
import { FOR_COLLEAGUES, InputAction, type SubmissionActionProps } from './input-action.tsx';

const NAMES = {
  [Status.ACCEPTED]: 'Accept',
  [Status.REJECTED]: 'Reject',
  [Status.DUPLICATE_NOT_ACCEPTED]: 'Mark as duplicate',
} as const;

export type Decision = keyof typeof NAMES;
interface DecisionFields {
  readonly decision: Decision;
  readonly reason: string;
  readonly acceptDuplicate: boolean;
}

/** Returns the input fields, flags and request fields of a decision, for one submission or several. */
export function useDecision(decision: Decision): ActionInput<DecisionFields> {
  const [reason, setReason] = useState('');
  const [acceptsDuplicate, setAcceptsDuplicate] = useState(false);
  const isAcceptance = decision === Status.ACCEPTED;
  const acceptDuplicate = isAcceptance && acceptsDuplicate;
  return {
    name: NAMES[decision],
    command: 'sss submissions decide',
    flags: `--decision ${enumFlag(StatusSchema, decision)} --reason ${quoted(reason)}${acceptDuplicate ? ' --accept-duplicate' : ''}`,
    request: { decision, reason: reason.trim(), acceptDuplicate },
    isReady: isPurpose(reason),
    isDestructive: decision === Status.REJECTED,
    fields: (
      <>
        <ReasonField description={FOR_COLLEAGUES} value={reason} onChange={setReason} />
        {isAcceptance ? (
          <CheckField
            label="Accept even though this customer was accepted before"
            checked={acceptsDuplicate}
            onChange={setAcceptsDuplicate}
          />
        ) : null}
      </>
    ),
  };
}

const DECIDED = {
  [Status.ACCEPTED]: 'accepted',
  [Status.REJECTED]: 'rejected',
  [Status.DUPLICATE_NOT_ACCEPTED]: 'a duplicate',
} as const satisfies Record<Decision, string>;

/** Returns the decision as used in a sentence: "rejected", "a duplicate". */
export const decidedAs = (decision: Decision): string => DECIDED[decision];

/** Decides a submission that is awaiting a decision. */
export const DecideAction = ({
  decision,
  ...props
}: SubmissionActionProps & { readonly decision: Decision }) => (
  <InputAction
    {...props}
    input={useDecision(decision)}
    description={`The supplier is notified that ${props.submission.externalReference} is ${decidedAs(decision)}. This cannot be undone.`}
    done={`${props.submission.externalReference} is ${decidedAs(decision)}`}
    send={async (request) => {
      await submissions.decideSubmission(request);
      props.onDecided?.();
    }}
  />
);
