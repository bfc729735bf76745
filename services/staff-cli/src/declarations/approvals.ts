import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { type Declaration, declare } from './declaration.ts';

const rpc = ApprovalService.method;
const APPROVAL = '01998c1e-7d5c-7000-8000-000000000009';

export const approvalCommands: readonly Declaration[] = [
  declare('approvals check', rpc.checkApproval, {
    summary: 'Check whether an action needs approval',
    example: '--service submission --action ActivatePolicy --arguments-json "{}"',
  }),
  declare('approvals request', rpc.requestApproval, {
    summary: 'Request approval of an action',
    notes: 'It is easier to run the command of the action with --ask-approval.',
    example:
      '--service submission --action ActivatePolicy --arguments-json "{}" --purpose "higher minimum for retail"',
  }),
  declare('approvals list', rpc.listApprovals, {
    summary: 'List approvals',
    columns: [
      'approval_id',
      'state',
      'action',
      'target',
      'requested_by',
      'requested_issuer',
      'requested_at',
      'purpose',
    ],
    notes: '`sss approvals show` prints the whole request.',
    wide: ['target', 'requested_issuer', 'requested_at', 'purpose'],
    example: '--service account --state waiting',
  }),
  declare('approvals show', rpc.getApproval, {
    summary: 'Show an approval in full',
    positional: ['approval_id'],
    notes: 'Prints every value before and after the change, without truncating any.',
    example: `${APPROVAL} --service account`,
  }),
  declare('approvals approve', rpc.approveRequest, {
    summary: 'Approve a request',
    positional: ['approval_id'],
    reviewMethod: rpc.getApproval,
    irreversible: 'The action can then be performed exactly as shown. You cannot withdraw an approval.',
    notes:
      'Shows the whole action and asks for confirmation. With --yes it shows nothing, and requires the --sha256 that `sss approvals show` prints.',
    example: `${APPROVAL} --service account`,
  }),
  declare('approvals refuse', rpc.refuseRequest, {
    summary: 'Refuse a request, or withdraw your own',
    positional: ['approval_id'],
    example: `${APPROVAL} --service account --reason "the supplier has not signed"`,
  }),
];
