import type { Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, Purpose } from '../parts/purpose.tsx';
import { Act, quoted } from './act.tsx';

/** The applicants that an action is about. */
export interface OfApplicants {
  /** From 1 to 100. */
  readonly submissionIds: readonly string[];
  /** How to refer to them: a reference, or a count. */
  readonly whose: string;
  /** Production if any of them is in production. */
  readonly environment: Environment;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Places a legal hold, which protects applicants' data from erasure requests and retention. */
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

/** Releases a legal hold. Erasures that were waiting for it continue. */
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
  /** Resolves to the outcome in words. */
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
