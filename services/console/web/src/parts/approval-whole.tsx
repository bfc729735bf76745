import { wholly } from '@supplier/lib/text/visible';
import {
  type Approval,
  ApprovalService,
  ApprovalState,
  ApprovalStateSchema,
} from '@supplier/proto/approval/v1/approval';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApproveAction, RefuseAction } from '../actions/decide-approval.tsx';
import { approvals, mayCall } from '../calls.ts';
import { Panel } from '../components/panel.tsx';
import { enumName, formatTime } from '../format.ts';
import type { ApprovingService } from '../screens/approvals-search.ts';
import { useSession } from '../session.ts';
import { ApprovalLines } from './approval-lines.tsx';

interface WholeProps {
  readonly service: ApprovingService;
  readonly approvalId: string;
}

/** One approval in full, and the available actions. */
export function ApprovalWhole({ service, approvalId }: WholeProps) {
  const query = useQuery({
    queryKey: ['approval', service, approvalId],
    queryFn: ({ signal }) => approvals[service].getApproval({ approvalId }, { signal }),
  });
  return (
    <Panel title="Request" query={query} empty="This approval does not exist.">
      {(approval) => (
        <>
          <dl className="facts">
            {factsOf(service, approval).map(([name, value]) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} is`}>{wholly(value)}</dd>,
            ])}
          </dl>
          <ApprovalLines approval={approval} />
          <ApprovalActions service={service} approval={approval} />
        </>
      )}
    </Panel>
  );
}

function factsOf(service: ApprovingService, approval: Approval): readonly (readonly [string, string])[] {
  const { decidedAt, usedAt, reasons, refusalReason } = approval;
  return [
    ['id', approval.approvalId],
    ['state', enumName(ApprovalStateSchema, approval.state)],
    ['act', `${approval.action}, of the ${service} service`],
    ['target', approval.target],
    ['takes two people because of', reasons.join('; ')],
    ['asked by', `${approval.requestedBy}, vouched for by ${approval.requestedIssuer}`],
    ['asked', formatTime(approval.requestedAt)],
    ['why', approval.purpose],
    ['ends', formatTime(approval.expiresAt)],
    ...(decidedAt
      ? [
          ['decided by', `${approval.decidedBy}, vouched for by ${approval.decidedIssuer}`] as const,
          ['decided', formatTime(decidedAt)] as const,
        ]
      : []),
    ...(refusalReason ? [['refused because', refusalReason] as const] : []),
    ...(usedAt ? [['used', formatTime(usedAt)] as const] : []),
    ['SHA-256', approval.sha256],
  ];
}

interface ActsProps {
  readonly service: ApprovingService;
  readonly approval: Approval;
}

/**
 * Shows the available actions. An open dialog keeps the approval as the person read it, even if a colleague decides in
 * the meantime.
 */
function ApprovalActions({ service, approval: present }: ActsProps) {
  const { roles, subject } = useSession();
  const [begunWith, setBegunWith] = useState<Approval>();
  const approval = begunWith ?? present;
  const onOpen = (isOpen: boolean) => setBegunWith(isOpen ? approval : undefined);
  const waits = approval.state === ApprovalState.WAITING;
  const { approveRequest, refuseRequest } = ApprovalService.method;
  if (!waits || !(mayCall(roles, approveRequest) || mayCall(roles, refuseRequest))) return null;
  return (
    <fieldset className="actions">
      <legend>Actions</legend>
      {approval.requestedBy === subject ? (
        <p>You requested this. Another person must approve it. You can withdraw it.</p>
      ) : null}
      {mayCall(roles, approveRequest) ? (
        <ApproveAction service={service} approval={approval} onOpen={onOpen} />
      ) : null}
      {mayCall(roles, refuseRequest) ? (
        <RefuseAction service={service} approval={approval} onOpen={onOpen} />
      ) : null}
    </fieldset>
  );
}
