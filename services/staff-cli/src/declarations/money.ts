import { BillingService } from '@supplier/proto/billing/v1/billing';
import { untilBillingIsDecided } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = BillingService.method;
const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';

export const moneyCommands: readonly Declaration[] = [
  declare('leads show', rpc.getLead, {
    given: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('leads pending', rpc.listLeads, {
    wide: ['account_id', 'environment'],
    example: '--pending-days 7 --all',
  }),
  declare('leads close', rpc.closePendingLead, {
    given: ['submission_id'],
    irreversible: 'The lead is not billable from then on, and the supplier is told.',
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
