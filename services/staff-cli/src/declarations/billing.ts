import { BillingService } from '@supplier/proto/billing/v1/billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { untilBillingIsDecided } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = BillingService.method;
const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';

export const billingCommands: readonly Declaration[] = [
  declare('billing show', rpc.getSubmissionLedger, {
    summary: 'Show the billing of a submission',
    positional: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('billing pending', SubmissionService.method.listPendingBilling, {
    summary: 'List submissions whose billing is pending',
    wide: ['account_id', 'environment'],
    example: '--pending-days 7 --all',
  }),
  declare('billing close', SubmissionService.method.closePendingBilling, {
    summary: 'Close the billing of a submission without an Application',
    positional: ['submission_id'],
    irreversible: 'The submission becomes not billable, and the supplier gets a webhook.',
    wait: untilBillingIsDecided,
    example: '01998c1e-7d5c-7000-8000-000000000003 --close-reason given_up_by_supplier --yes',
  }),
  declare('prices set', rpc.setPrice, {
    summary: 'Set a price',
    positional: ['account_id'],
    example: `${ACCOUNT} --billing-model accepted-submission --pence 4500 --effective-from +7d`,
  }),
  declare('prices list', rpc.listPrices, {
    summary: 'List prices',
    positional: ['account_id'],
    wide: ['set_at'],
    example: ACCOUNT,
  }),
  declare('statements show', rpc.getStatement, {
    summary: 'Show the totals of a month',
    positional: ['account_id', 'month'],
    example: `${ACCOUNT} 2026-10`,
  }),
  declare('statements lines', rpc.streamStatement, {
    summary: 'Print the lines of a month',
    positional: ['account_id', 'month'],
    columns: [
      'entry_id',
      'submission_id',
      'external_reference',
      'kind',
      'billing_model',
      'occurred_at',
      'pence',
      'net_pence',
    ],
    notes: 'To continue after an interruption, give the last entry as --after-entry-id.',
    wide: ['entry_id', 'billing_model', 'occurred_at', 'pence'],
    example: `${ACCOUNT} 2026-10 --csv`,
  }),
  declare('statements close', rpc.closeMonth, {
    summary: 'Close a month',
    positional: ['account_id', 'month'],
    irreversible: 'A closed month never changes. Later lines go to the next open month.',
    example: `${ACCOUNT} 2026-10 --yes`,
  }),
];
