import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { type Declaration, declare } from './declaration.ts';

/** What one service finds. `sss reconcile` asks all of them, and goes on until each has compared everything. */
export const reconciliationOf: Declaration = declare(
  'reconciliation of',
  ReconciliationService.method.reconcile,
  {
    columns: ['kind', 'what', 'target', 'repair', 'count', 'explanation', 'resume_token'],
    wide: ['count', 'explanation', 'resume_token'],
    notes: '`sss reconcile` asks every service, and goes on until all is compared.',
    example: '--service billing --since -24h',
  },
);
