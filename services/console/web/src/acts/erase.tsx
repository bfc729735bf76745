import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, Purpose } from '../parts/purpose.tsx';
import { Act, quoted } from './act.tsx';
import type { OfApplicants } from './hold.tsx';

/** Asks for the erasure of applicants in every service, and leads to its certificate. */
export function EraseAct({ submissionIds, whose, environment, onOpen }: OfApplicants) {
  const [purpose, setPurpose] = useState('');
  const [erasure, setErasure] = useState<string>();
  return (
    <>
      <Act
        name="Erase"
        says={`The applicant of ${whose} is erased in every service, for good. It ends within seconds.`}
        environment={environment}
        command={`sss people erase ${submissionIds.join(' ')} --purpose ${quoted(purpose.trim())} --yes --wait`}
        isReady={isPurpose(purpose)}
        onOpen={onOpen}
        run={async () => {
          const { erasureId } = await people.requestErasure({
            submissionIds: [...submissionIds],
            purpose: purpose.trim(),
          });
          setErasure(erasureId);
        }}
      >
        <Purpose value={purpose} onChange={setPurpose} autoFocus />
      </Act>
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
