import { NativeSelect, TextInput } from '@mantine/core';
import {
  ReturnReasonCategory,
  ReturnReasonCategorySchema,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { useState } from 'react';
import { submissions } from '../calls.ts';
import { enumFlag } from '../format.ts';
import { type ActionInput, ConfirmDialog, quoted } from './confirm-dialog.tsx';
import { ReturnReason } from './return.tsx';

const OUTCOMES = {
  cleared: 'cleared',
  returned: 'not cleared: it goes back to the supplier',
  closed: 'not cleared, and too late to return: it is closed',
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
  const [closeReason, setCloseReason] = useState('');
  const stated = {
    cleared: { flags: '--outcome cleared', request: { outcome: PreUnderwritingState.CLEARED } },
    returned: {
      flags: `--outcome not_cleared --return-reason ${enumFlag(ReturnReasonCategorySchema, returnReason)}`,
      request: { outcome: PreUnderwritingState.NOT_CLEARED, returnReason },
    },
    closed: {
      flags: `--outcome not_cleared --close-reason ${quoted(closeReason.trim())}`,
      request: { outcome: PreUnderwritingState.NOT_CLEARED, closeReason: closeReason.trim() },
    },
  }[outcome];
  const isReady = {
    cleared: true,
    returned: returnReason !== ReturnReasonCategory.UNSPECIFIED,
    closed: closeReason.trim() !== '',
  }[outcome];
  return {
    name: 'Complete pre-underwriting',
    command: 'sss pre-underwriting complete',
    flags: stated.flags,
    request: stated.request,
    isReady,
    fields: (
      <>
        <NativeSelect
          label="Outcome"
          id="outcome"
          value={outcome}
          onChange={(event) => setOutcome(event.target.value as Outcome)}
          data={Object.entries(OUTCOMES).map(([value, label]) => ({ value, label }))}
        />
        {outcome === 'returned' ? (
          <ReturnReason id="outcome-return" value={returnReason} onChange={setReturnReason} />
        ) : null}
        {outcome === 'closed' ? (
          <TextInput
            label="Reason"
            description="For colleagues. Suppliers never see it. No personal data."
            id="outcome-close"
            value={closeReason}
            maxLength={200}
            onChange={(event) => setCloseReason(event.currentTarget.value)}
          />
        ) : null}
      </>
    ),
  };
}

interface CompleteProps {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Completes a pre-underwriting that failed by policy and was left to staff. */
export function CompletePreUnderwritingAction({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: CompleteProps) {
  const { name, command, flags, request, isReady, fields } = useCompletion();
  return (
    <ConfirmDialog
      name={name}
      description={`Pre-underwriting of ${externalReference} ends, which may bill or return it. The supplier is notified. This cannot be undone.`}
      environment={environment}
      command={`${command} ${submissionId} ${flags} --yes`}
      isReady={isReady}
      onOpen={onOpen}
      run={() => submissions.completePreUnderwriting({ submissionId, ...request })}
    >
      {fields}
    </ConfirmDialog>
  );
}
