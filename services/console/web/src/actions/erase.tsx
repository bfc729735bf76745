import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, PurposeField } from '../components/purpose-field.tsx';
import { ApprovableAction } from './approvable-action.tsx';
import { quoted } from './confirm-dialog.tsx';
import type { OfApplicants } from './hold.tsx';

/** Requests the erasure of applicants in every service, and links to its certificate. */
export function EraseAction({ submissionIds, whose, environment, onOpen }: OfApplicants) {
  const [purpose, setPurpose] = useState('');
  const [erasure, setErasure] = useState<string>();
  return (
    <>
      <ApprovableAction
        name="Erase"
        description={`Erases the applicant of ${whose} in every service within seconds. This cannot be undone.`}
        environment={environment}
        service="submission"
        method={PrivacyService.method.requestErasure}
        request={(approvalId) => ({
          submissionIds: [...submissionIds],
          purpose: purpose.trim(),
          approvalId,
        })}
        call={async (request) => {
          const { erasureId } = await people.requestErasure(request);
          setErasure(erasureId);
        }}
        command={`sss people erase ${submissionIds.join(' ')} --purpose ${quoted(purpose.trim())}`}
        isConfirmed
        isReady={isPurpose(purpose)}
        onOpen={onOpen}
      >
        <PurposeField value={purpose} onChange={setPurpose} data-autofocus />
      </ApprovableAction>
      {erasure === undefined ? null : (
        <p role="status">
          It is being erased:{' '}
          <Link to="/data-requests" search={{ erasure }}>
            the certificate
          </Link>
        </p>
      )}
    </>
  );
}
