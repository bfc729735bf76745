import { BillingService } from '@supplier/proto/billing/v1/billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { untilBillingIsDecided } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = BillingService.method;
const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';

export const moneyCommands: readonly Declaration[] = [
  declare('leads show', rpc.getLead, {
    given: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('leads pending', SubmissionService.method.listPendingLeads, {
    wide: ['account_id', 'environment'],
    example: '--pending-days 7 --all',
  }),
  declare('leads close', SubmissionService.method.closePendingLead, {
    given: ['submission_id'],
    irreversible: 'The lead becomes not billable, and the supplier gets a webhook.',
    wait: untilBillingIsDecided,
    example: '01998c1e-7d5c-7000-8000-000000000003 --close-reason given_up_by_supplier --yes',
  }),
  declare('prices set', rpc.setPrice, {
    given: ['account_id'],
    example: `${ACCOUNT} --billing-model accepted-submission --pence 4500 --effective-from +7d`,
  }),
  declare('prices list', rpc.listPrices, { given: ['account_id'], wide: ['set_at'], example: ACCOUNT }),
  declare('statements show', rpc.getStatement, {
    given: ['account_id', 'month'],
    example: `${ACCOUNT} 2026-10`,
  }),
  declare('statements lines', rpc.streamStatement, {
    given: ['account_id', 'month'],
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
    notes: 'With --csv for a spreadsheet. Where it ended early, --after-entry-id goes on.',
    wide: ['entry_id', 'billing_model', 'occurred_at', 'pence'],
    example: `${ACCOUNT} 2026-10 --csv`,
  }),
  declare('statements close', rpc.closeMonth, {
    given: ['account_id', 'month'],
    irreversible: 'A closed month never changes again: what comes later falls into the next open one.',
    example: `${ACCOUNT} 2026-10 --yes`,
  }),
];
