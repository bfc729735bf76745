import { type PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { mayCall, policies } from '../../calls.ts';
import { TextField } from '../../components/fields.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { quoted } from '../../format.ts';
import { useSession } from '../../session.ts';
import { kindName } from '../policies/policy-kinds.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the person has just stored the version, whose activation is the next step. */
    readonly isStored?: boolean;
  }
}

/** Stores a version, and opens its changes and its activation. */
export function StorePolicyAction({ kind, text }: { readonly kind: PolicyKind; readonly text: string }) {
  const { roles } = useSession();
  const navigate = useNavigate();
  const [note, setNote] = useState('');
  if (!mayCall(roles, PolicyService.method.storePolicy)) return null;
  return (
    <ConfirmDialog
      name="Store version"
      isPrimary
      description="Stores the text under its version. It cannot be changed later and decides nothing until it is activated, which is the next step."
      environment="both"
      command={`sss policies store ${kindName(kind)} --text "$(cat policy.json)" --note ${quoted(note.trim())}`}
      isReady={isPurpose(note) && text.trim() !== ''}
      onOpen={() => setNote('')}
      run={async () => {
        const { version } = await policies.storePolicy({ kind, text, note: note.trim() });
        await navigate({
          to: '/policies/$kind/$version',
          params: { kind: kindName(kind), version },
          search: { tab: 'changes' },
          state: { isStored: true },
        });
      }}
      toastOf={() => ({ message: 'Version stored' })}
    >
      <TextField
        label="Change note"
        description="Describe the change. No personal data."
        path="note"
        value={note}
        maxLength={500}
        onChange={setNote}
        autoFocus
        isReason
      />
    </ConfirmDialog>
  );
}
