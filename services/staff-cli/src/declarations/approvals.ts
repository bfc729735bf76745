import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { type Declaration, declare } from './declaration.ts';

const rpc = ApprovalService.method;
const APPROVAL = '01998c1e-7d5c-7000-8000-000000000009';

export const approvalCommands: readonly Declaration[] = [
  declare('approvals request', rpc.requestApproval, {
    notes: 'Easier: the command of the act itself, with --ask-approval.',
    example:
      '--service submission --action ActivatePolicy --arguments-json "{}" --purpose "higher minimum for retail"',
  }),
  declare('approvals list', rpc.listApprovals, {
    columns: [
      'approval_id',
      'state',
      'action',
      'target',
      'requested_by',
      'requested_at',
      'purpose',
      'arguments_json',
    ],
    example: '--service account --state waiting',
  }),
  declare('approvals approve', rpc.approveRequest, {
    given: ['approval_id'],
    notes: 'Read its arguments first: they are what is approved.',
    example: `${APPROVAL} --service account`,
  }),
  declare('approvals refuse', rpc.refuseRequest, {
    given: ['approval_id'],
    example: `${APPROVAL} --service account --reason "the supplier has not signed"`,
  }),
];
