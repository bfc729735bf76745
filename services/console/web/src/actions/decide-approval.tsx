import { TextInput } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { Approval } from '@supplier/proto/approval/v1/approval';
import { useState } from 'react';
import { approvals } from '../calls.ts';
import type { ApprovingService } from '../screens/approvals-search.ts';
import { ConfirmDialog, quoted } from './confirm-dialog.tsx';

const SHORTEST_REASON = 3;

interface DecideProps {
  readonly service: ApprovingService;
  /** The approval as the person read it. */
  readonly approval: Approval;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Approves exactly what was shown. If the digest has changed, it does not approve. */
export function ApproveAction({ service, approval, onOpen }: DecideProps) {
  const { approvalId, action, requestedBy, sha256 } = approval;
  return (
    <ConfirmDialog
      name="Approve"
      description={`${visible(requestedBy)} may then do ${visible(action)} once, exactly as shown. This cannot be undone.`}
      environment="both"
      command={`sss approvals approve ${approvalId} --service ${service} --sha256 ${sha256} --yes`}
      isReady
      onOpen={onOpen}
      run={async () => {
        const now = await approvals[service].getApproval({ approvalId });
        // After approval, the service no longer changes the request.
        if (now.sha256 !== sha256)
          throw new Error('The request has changed since you read it. Read it again, then decide.');
        await approvals[service].approveRequest({ approvalId });
      }}
    >
      <p>
        SHA-256 of this request: <code className="whole">{sha256}</code>
      </p>
    </ConfirmDialog>
  );
}

/** Refuses a colleague's request, or withdraws one's own. */
export function RefuseAction({
  service,
  approval: { approvalId, action, requestedBy },
  onOpen,
}: DecideProps) {
  const [reason, setReason] = useState('');
  const why = reason.trim();
  return (
    <ConfirmDialog
      name="Refuse"
      description={`${visible(requestedBy)} may not do ${visible(action)} and sees your reason. This cannot be undone, but they can request it again.`}
      environment="both"
      command={`sss approvals refuse ${approvalId} --service ${service} --reason ${quoted(why)}`}
      isReady={why.length >= SHORTEST_REASON}
      onOpen={(isOpen) => {
        setReason('');
        onOpen(isOpen);
      }}
      run={() => approvals[service].refuseRequest({ approvalId, reason: why })}
    >
      <TextInput
        label="Reason"
        description="For the requester. No personal data."
        id="refusal-reason"
        value={reason}
        maxLength={200}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
