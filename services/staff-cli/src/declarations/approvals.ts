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
      'requested_issuer',
      'requested_at',
      'purpose',
    ],
    notes: 'What exactly is asked for: `sss approvals show`.',
    wide: ['target', 'requested_issuer', 'requested_at', 'purpose'],
    example: '--service account --state waiting',
  }),
  declare('approvals show', rpc.getApproval, {
    given: ['approval_id'],
    notes: 'Each line as it is and as it is to be; nothing is cut.',
    example: `${APPROVAL} --service account`,
  }),
  declare('approvals approve', rpc.approveRequest, {
    given: ['approval_id'],
    showsFirst: rpc.getApproval,
    irreversible: 'This lets it be done, exactly as shown, and cannot be taken back.',
    notes:
      'Shows the whole act and asks for confirmation. With --yes it shows nothing, and --sha256 names what was read.',
    example: `${APPROVAL} --service account`,
  }),
  declare('approvals refuse', rpc.refuseRequest, {
    given: ['approval_id'],
    example: `${APPROVAL} --service account --reason "the supplier has not signed"`,
  }),
];
