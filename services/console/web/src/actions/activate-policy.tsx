import { TextInput } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Policy, PolicyService } from '@supplier/proto/submission/v1/policies';
import { useState } from 'react';
import { mayCall, policies } from '../calls.ts';
import { kindName } from '../parts/policy-kinds.ts';
import { useSession } from '../session.ts';
import { ApprovableAction } from './approvable-action.tsx';
import { quoted } from './confirm-dialog.tsx';

const SHORTEST_PURPOSE = 3;
const method = PolicyService.method.activatePolicy;

/** Activates a stored version. */
export function ActivatePolicyAction({ policy: { kind, version } }: { readonly policy: Policy }) {
  const { roles } = useSession();
  const [purpose, setPurpose] = useState('');
  if (!mayCall(roles, method)) return null;
  const why = purpose.trim();
  return (
    <ApprovableAction
      name="Put in force"
      description={`Version ${visible(version)} decides every submission from then on. Earlier decisions stay as they are.`}
      environment="both"
      service="submission"
      method={method}
      request={(approvalId) => ({ kind, version, purpose: why, approvalId })}
      call={(request) => policies.activatePolicy(request)}
      command={`sss policies activate ${kindName(kind)} ${quoted(version)} --purpose ${quoted(why)}`}
      isConfirmed
      isReady={why.length >= SHORTEST_PURPOSE}
      onOpen={() => setPurpose('')}
    >
      <TextInput
        label="Reason"
        description="For the audit log. No personal data."
        id="activation-purpose"
        value={purpose}
        maxLength={200}
        onChange={(event) => setPurpose(event.currentTarget.value)}
        data-autofocus
      />
    </ApprovableAction>
  );
}
