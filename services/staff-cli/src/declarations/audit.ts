import { AuditService } from '@supplier/proto/audit/v1/audit';
import { type Declaration, declare } from './declaration.ts';

const rpc = AuditService.method;
const COLUMNS = [
  'sequence',
  'at',
  'actor',
  'action',
  'target',
  'account_id',
  'purpose',
  'reason',
  'request_id',
];

export const auditCommands: readonly Declaration[] = [
  declare('audit list', rpc.listAudit, {
    summary: 'List audit entries',
    columns: COLUMNS,
    wide: ['sequence', 'target', 'account_id', 'request_id'],
    example: '--service submission --since -24h --all',
  }),
  declare('audit export', rpc.exportAudit, {
    summary: 'Export audit entries in chain order',
    columns: ['position', ...COLUMNS, 'hash'],
    notes:
      'With --json, prints one line for each entry. To continue an export, give the last position as --after-position.',
    wide: ['sequence', 'target', 'account_id', 'reason', 'request_id', 'hash'],
    example: '--service account --since -30d --json',
  }),
];
