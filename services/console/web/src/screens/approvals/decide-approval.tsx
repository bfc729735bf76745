import { visible } from '@supplier/lib/text/visible';
import { type Approval, ApprovalService } from '@supplier/proto/approval/v1/approval';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { type ApprovingService, clientOf } from '../../calls.ts';
import { ReasonField } from '../../components/fields.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { quoted } from '../../format.ts';
import { actionName } from './approval-badge.tsx';
import { ExactText } from './approval-changes.tsx';

interface DecideProps {
  readonly service: ApprovingService;
  /** The approval as the person read it. */
  readonly approval: Approval;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Approves exactly what was shown. If the digest has changed, it does not approve. */
export function ApproveAction({ service, approval, onOpen }: DecideProps) {
  const { approvalId, requestedBy, sha256 } = approval;
  return (
    <ConfirmDialog
      name="Approve"
      description={`${visible(requestedBy)} can then run “${actionName(approval)}” once, exactly as shown. This cannot be undone.`}
      environment="both"
      command={`sss approvals approve ${approvalId} --service ${service} --sha256 ${sha256} --yes`}
      onOpen={onOpen}
      toastOf={() => ({ message: `Approved. ${visible(requestedBy)} can now run it.` })}
      run={async () => {
        const now = await clientOf(ApprovalService, service).getApproval({ approvalId });
        // After approval, the service no longer changes the request.
        if (now.sha256 !== sha256)
          throw new Error('The request has changed since you read it. Read it again, then decide.');
        await clientOf(ApprovalService, service).approveRequest({ approvalId });
      }}
    >
      <p>
        SHA-256: <ExactText text={sha256} />
      </p>
    </ConfirmDialog>
  );
}

/** Refuses a colleague's request, or withdraws one's own. */
export function RefuseAction({ service, approval, onOpen }: DecideProps) {
  const { approvalId, requestedBy } = approval;
  const [reason, setReason] = useState('');
  const why = reason.trim();
  return (
    <ConfirmDialog
      name="Refuse"
      description={`${visible(requestedBy)} can’t run “${actionName(approval)}” and sees your reason. This cannot be undone, but they can request it again.`}
      environment="both"
      command={`sss approvals refuse ${approvalId} --service ${service} --reason ${quoted(why)}`}
      isReady={isPurpose(why)}
      isDestructive
      onOpen={(isOpen) => {
        setReason('');
        onOpen(isOpen);
      }}
      toastOf={() => ({ message: 'Refused' })}
      run={() => clientOf(ApprovalService, service).refuseRequest({ approvalId, reason: why })}
    >
      <ReasonField description="For the requester. No personal data." value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}
