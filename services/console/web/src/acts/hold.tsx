import type { Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, Purpose } from '../parts/purpose.tsx';
import { Act, quoted } from './act.tsx';

/** What an act on applicants is about. */
export interface OfApplicants {
  /** From 1 to 100. */
  readonly submissionIds: readonly string[];
  /** What to call them: a reference, or how many. */
  readonly whose: string;
  /** Production where one of them is. */
  readonly environment: Environment;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Keeps what is held of applicants from requests and from retention. */
export const HoldAct = (of: OfApplicants) => (
  <KeepingAct
    {...of}
    name="Hold"
    verb="hold"
    says={`Nobody and nothing erases ${of.whose} until the hold is released.`}
    ask={async (request) => {
      const { heldIds } = await people.holdSubmissions(request);
      return heldIds.length === 0 ? 'All of it was held already.' : `Held: ${heldIds.join(', ')}.`;
    }}
  />
);

/** Ends a legal hold; an erasure that waited for it goes on. */
export const ReleaseHoldAct = (of: OfApplicants) => (
  <KeepingAct
    {...of}
    name="Release the hold"
    verb="release"
    says={`The legal hold of ${of.whose} ends. What is past its time, or waits to be erased, is erased then.`}
    ask={async (request) => {
      const { releasedIds } = await people.releaseHold(request);
      return releasedIds.length === 0 ? 'None of it was held.' : `Released: ${releasedIds.join(', ')}.`;
    }}
  />
);

interface KeepingProps extends OfApplicants {
  readonly name: string;
  readonly verb: 'hold' | 'release';
  readonly says: string;
  /** Resolves to what has become of it, in words. */
  readonly ask: (request: { submissionIds: string[]; purpose: string }) => Promise<string>;
}

function KeepingAct({ submissionIds, environment, onOpen, name, verb, says, ask }: KeepingProps) {
  const [purpose, setPurpose] = useState('');
  const [said, setSaid] = useState('');
  return (
    <>
      <Act
        name={name}
        says={says}
        environment={environment}
        command={`sss people ${verb} ${submissionIds.join(' ')} --purpose ${quoted(purpose.trim())}`}
        isReady={isPurpose(purpose)}
        onOpen={onOpen}
        run={async () => setSaid(await ask({ submissionIds: [...submissionIds], purpose: purpose.trim() }))}
      >
        <Purpose value={purpose} onChange={setPurpose} autoFocus />
      </Act>
      {said === '' ? null : <p role="status">{said}</p>}
    </>
  );
}
