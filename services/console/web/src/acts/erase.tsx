import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, Purpose } from '../parts/purpose.tsx';
import { quoted } from './act.tsx';
import { ApprovableAct } from './approvable-act.tsx';
import type { OfApplicants } from './hold.tsx';

/** Requests the erasure of applicants in every service, and links to its certificate. */
export function EraseAct({ submissionIds, whose, environment, onOpen }: OfApplicants) {
  const [purpose, setPurpose] = useState('');
  const [erasure, setErasure] = useState<string>();
  return (
    <>
      <ApprovableAct
        name="Erase"
        says={`The applicant of ${whose} is erased in every service, for good. It ends within seconds.`}
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
        <Purpose value={purpose} onChange={setPurpose} autoFocus />
      </ApprovableAct>
      {erasure === undefined ? null : (
        <p role="status">
          It is being erased:{' '}
          <Link to="/people" search={{ erasure }}>
            the certificate
          </Link>
        </p>
      )}
    </>
  );
}
