import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { useState } from 'react';
import { ApprovableAction } from '../../actions/approvable-action.tsx';
import { isPurpose, PurposeField } from '../../components/purpose-field.tsx';
import { quoted } from '../../format.ts';
import type { Applicants } from './hold.tsx';

interface EraseProps extends Applicants {
  /** Receives the id of the erasure, which leads to its certificate. */
  readonly onErased: (erasureId: string) => void;
}

/** Requests the erasure of applicants in every service. */
export function EraseAction({ submissionIds, references, environment, onOpen, onErased }: EraseProps) {
  const [purpose, setPurpose] = useState('');
  return (
    <ApprovableAction
      name="Erase"
      description={`Erases the applicant of ${references} in every service within seconds. This cannot be undone.`}
      environment={environment}
      method={PrivacyService.method.requestErasure}
      request={(approvalId) => ({ submissionIds: [...submissionIds], purpose: purpose.trim(), approvalId })}
      onDone={({ erasureId }) => onErased(erasureId)}
      command={`sss people erase ${submissionIds.join(' ')} --purpose ${quoted(purpose.trim())}`}
      isConfirmed
      isDestructive
      isPrimary
      isReady={isPurpose(purpose)}
      onOpen={onOpen}
      toastOf={() => ({ message: 'Erasure started' })}
    >
      <PurposeField value={purpose} onChange={setPurpose} autoFocus />
    </ApprovableAction>
  );
}
