import { TextInput } from '@mantine/core';
import { type PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { mayCall, policies } from '../calls.ts';
import { kindName } from '../parts/policy-kinds.ts';
import { useSession } from '../session.ts';
import { ConfirmDialog, quoted } from './confirm-dialog.tsx';

const SHORTEST_NOTE = 3;

interface StoreProps {
  readonly kind: PolicyKind;
  readonly text: string;
}

/** Stores a version without activating it, and opens its screen. */
export function StorePolicyAction({ kind, text }: StoreProps) {
  const { roles } = useSession();
  const navigate = useNavigate();
  const [note, setNote] = useState('');
  if (!mayCall(roles, PolicyService.method.storePolicy)) return null;
  return (
    <ConfirmDialog
      name="Store"
      description="Stores the text under its version. It cannot be changed later and decides nothing until it is activated."
      environment="both"
      command={`sss policies store ${kindName(kind)} --text "$(cat policy.json)" --note ${quoted(note.trim())}`}
      isReady={note.trim().length >= SHORTEST_NOTE && text.trim() !== ''}
      onOpen={() => setNote('')}
      run={async () => {
        const { version } = await policies.storePolicy({ kind, text, note: note.trim() });
        await navigate({ to: '/policies/$kind/$version', params: { kind: kindName(kind), version } });
      }}
    >
      <TextInput
        label="Change note"
        description="No personal data."
        id="policy-note"
        value={note}
        maxLength={500}
        onChange={(event) => setNote(event.currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
