import type { Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, PurposeField } from '../components/purpose-field.tsx';
import { ConfirmDialog, quoted } from './confirm-dialog.tsx';

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
export const HoldAction = (of: OfApplicants) => (
  <KeepingAction
    {...of}
    name="Hold"
    verb="hold"
    description={`Prevents the erasure of ${of.whose} until the hold is released.`}
    ask={async (request) => {
      const { heldIds } = await people.holdSubmissions(request);
      return heldIds.length === 0 ? 'Everything was on hold already.' : `Held: ${heldIds.join(', ')}.`;
    }}
  />
);

/** Releases a legal hold. Erasures that were waiting for it continue. */
export const ReleaseHoldAction = (of: OfApplicants) => (
  <KeepingAction
    {...of}
    name="Release the hold"
    verb="release"
    description={`Ends the legal hold of ${of.whose}. Data past its retention, or with a pending erasure, is then erased.`}
    ask={async (request) => {
      const { releasedIds } = await people.releaseHold(request);
      return releasedIds.length === 0 ? 'Nothing was on hold.' : `Released: ${releasedIds.join(', ')}.`;
    }}
  />
);

interface KeepingProps extends OfApplicants {
  readonly name: string;
  readonly verb: 'hold' | 'release';
  readonly description: string;
  /** Resolves to the outcome in words. */
  readonly ask: (request: { submissionIds: string[]; purpose: string }) => Promise<string>;
}

function KeepingAction({ submissionIds, environment, onOpen, name, verb, description, ask }: KeepingProps) {
  const [purpose, setPurpose] = useState('');
  const [said, setSaid] = useState('');
  return (
    <>
      <ConfirmDialog
        name={name}
        description={description}
        environment={environment}
        command={`sss people ${verb} ${submissionIds.join(' ')} --purpose ${quoted(purpose.trim())}`}
        isReady={isPurpose(purpose)}
        onOpen={onOpen}
        run={async () => setSaid(await ask({ submissionIds: [...submissionIds], purpose: purpose.trim() }))}
      >
        <PurposeField value={purpose} onChange={setPurpose} data-autofocus />
      </ConfirmDialog>
      {said === '' ? null : <p role="status">{said}</p>}
    </>
  );
}
