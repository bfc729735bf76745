import type { Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { ConfirmDialog, type Toast } from '../../actions/confirm-dialog.tsx';
import { people } from '../../calls.ts';
import { isPurpose, PurposeField } from '../../components/purpose-field.tsx';
import { quoted, withNoun } from '../../format.ts';

/** The applicants that an action is about. */
export interface Applicants {
  /** From 1 to 100. */
  readonly submissionIds: readonly string[];
  /** Their references, as text. */
  readonly references: string;
  /** Production if any of them is in production. */
  readonly environment: Environment;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Places a legal hold, which protects applicants' data from erasure requests and retention. */
export const HoldAction = (applicants: Applicants) => (
  <HoldDialog
    {...applicants}
    name="Place hold"
    verb="hold"
    description={`Prevents the erasure of ${applicants.references} until the hold is released.`}
    run={async ({ purpose, submissionIds }) => {
      const { heldIds } = await people.holdSubmissions({ submissionIds, purpose });
      if (heldIds.length === 0) return { message: 'Everything was already on hold' };
      return {
        message: `Hold placed on ${withNoun(heldIds.length, 'submission')}`,
        undo: () => people.releaseHold({ submissionIds: heldIds, purpose }),
      };
    }}
  />
);

/** Releases a legal hold. Erasures that were waiting for it continue, so it can't be undone. */
export const ReleaseHoldAction = (applicants: Applicants) => (
  <HoldDialog
    {...applicants}
    name="Release hold"
    verb="release"
    description={`Ends the legal hold of ${applicants.references}. Data past its retention, or with a pending erasure, is then erased.`}
    run={async (request) => {
      const { releasedIds } = await people.releaseHold(request);
      const count = withNoun(releasedIds.length, 'submission');
      return {
        message: releasedIds.length === 0 ? 'Nothing was on hold' : `Hold released on ${count}`,
      };
    }}
  />
);

interface HoldDialogProps extends Applicants {
  readonly name: string;
  readonly verb: 'hold' | 'release';
  readonly description: string;
  readonly run: (request: { readonly submissionIds: string[]; readonly purpose: string }) => Promise<Toast>;
}

function HoldDialog({ submissionIds, environment, onOpen, name, verb, description, run }: HoldDialogProps) {
  const [purpose, setPurpose] = useState('');
  return (
    <ConfirmDialog
      name={name}
      description={description}
      environment={environment}
      command={`sss people ${verb} ${submissionIds.join(' ')} --purpose ${quoted(purpose.trim())}`}
      isReady={isPurpose(purpose)}
      onOpen={onOpen}
      run={() => run({ submissionIds: [...submissionIds], purpose: purpose.trim() })}
      toastOf={(toast) => toast}
    >
      <PurposeField value={purpose} onChange={setPurpose} autoFocus />
    </ConfirmDialog>
  );
}
