import { Checkbox, FormGroup, InputGroup } from '@blueprintjs/core';
import { Status, StatusSchema, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { flagOf } from '../words.ts';
import { Act, quoted } from './act.tsx';

const NAMES = {
  [Status.ACCEPTED]: 'Accept',
  [Status.REJECTED]: 'Reject',
  [Status.DUPLICATE_NOT_ACCEPTED]: 'Call it a duplicate',
} as const;

interface DecideProps {
  readonly submission: SubmissionStatus;
  readonly decision: keyof typeof NAMES;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Decides a submission that waits for it. */
export function DecideAct({
  submission: { submissionId, externalReference, environment },
  decision,
  onOpen,
}: DecideProps) {
  const [reason, setReason] = useState('');
  const [acceptDuplicate, setAcceptDuplicate] = useState(false);
  const isAcceptance = decision === Status.ACCEPTED;
  const duplicate = isAcceptance && acceptDuplicate;
  const command = `sss submissions decide ${submissionId} --decision ${flagOf(StatusSchema, decision)} --reason ${quoted(reason)}${duplicate ? ' --accept-duplicate' : ''} --yes`;
  return (
    <Act
      name={NAMES[decision]}
      says={`The supplier is notified that ${externalReference} is ${flagOf(StatusSchema, decision).replaceAll('_', ' ')}. This cannot be taken back.`}
      environment={environment}
      command={command}
      isReady={reason.trim() !== ''}
      onOpen={onOpen}
      run={() =>
        submissions.decideSubmission({
          submissionId,
          decision,
          reason: reason.trim(),
          acceptDuplicate: duplicate,
        })
      }
    >
      <FormGroup
        label="Why"
        labelFor={`why-${decision}`}
        helperText="For colleagues; suppliers never see it. No personal data."
      >
        <InputGroup
          id={`why-${decision}`}
          value={reason}
          maxLength={200}
          onValueChange={setReason}
          autoFocus
        />
      </FormGroup>
      {isAcceptance ? (
        <Checkbox
          label="Although the same customer has been accepted before"
          checked={acceptDuplicate}
          onChange={(event) => setAcceptDuplicate(event.currentTarget.checked)}
        />
      ) : null}
    </Act>
  );
}
