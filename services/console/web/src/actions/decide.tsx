import { Checkbox, TextInput } from '@mantine/core';
import { Status, StatusSchema, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { enumFlag } from '../format.ts';
import { type ActionInput, ConfirmDialog, quoted } from './confirm-dialog.tsx';

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
  const [acceptDuplicate, setAcceptDuplicate] = useState(false);
  const isAcceptance = decision === Status.ACCEPTED;
  const duplicate = isAcceptance && acceptDuplicate;
  return {
    name: NAMES[decision],
    command: 'sss submissions decide',
    flags: `--decision ${enumFlag(StatusSchema, decision)} --reason ${quoted(reason)}${duplicate ? ' --accept-duplicate' : ''}`,
    request: { decision, reason: reason.trim(), acceptDuplicate: duplicate },
    isReady: reason.trim() !== '',
    fields: (
      <>
        <TextInput
          label="Reason"
          description="For colleagues. Suppliers never see it. No personal data."
          id={`why-${decision}`}
          value={reason}
          maxLength={200}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        {isAcceptance ? (
          <Checkbox
            label="Accept it although the same customer was accepted before"
            checked={acceptDuplicate}
            onChange={(event) => setAcceptDuplicate(event.currentTarget.checked)}
          />
        ) : null}
      </>
    ),
  };
}

/** Returns the decision as used in a sentence: "duplicate not accepted". */
export const decidedAs = (decision: Decision): string =>
  enumFlag(StatusSchema, decision).replaceAll('_', ' ');

interface DecideProps {
  readonly submission: SubmissionStatus;
  readonly decision: Decision;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Decides a submission that is awaiting a decision. */
export function DecideAction({
  submission: { submissionId, externalReference, environment },
  decision,
  onOpen,
}: DecideProps) {
  const { name, command, flags, request, isReady, fields } = useDecision(decision);
  return (
    <ConfirmDialog
      name={name}
      description={`The supplier is notified that ${externalReference} is ${decidedAs(decision)}. This cannot be undone.`}
      environment={environment}
      command={`${command} ${submissionId} ${flags} --yes`}
      isReady={isReady}
      onOpen={onOpen}
      run={() => submissions.decideSubmission({ submissionId, ...request })}
    >
      {fields}
    </ConfirmDialog>
  );
}
