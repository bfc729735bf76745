import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { accountCommands } from './accounts.ts';
import { approvalCommands } from './approvals.ts';
import { auditCommands } from './audit.ts';
import { billingCommands } from './billing.ts';
import { type Declaration, declare } from './declaration.ts';
import { documentCommands } from './documents.ts';
import { peopleCommands } from './people.ts';
import { policyCommands } from './policies.ts';
import { submissionCommands } from './submissions.ts';
import { webhookCommands } from './webhooks.ts';

const figureCommands: readonly Declaration[] = [
  declare('figures intake', SubmissionService.method.getIntake, {
    summary: 'Show submissions received and their outcomes',
    required: ['from_day', 'until_day'],
    example: '--environment production --from-day 2026-11-01 --until-day 2026-11-30',
  }),
  declare('figures deliveries', WebhookService.method.getDeliveryFigures, {
    summary: 'Show webhook deliveries and their outcomes',
    required: ['from_day', 'until_day'],
    example: '--environment production --from-day 2026-11-01 --until-day 2026-11-30',
  }),
  declare('figures value', BillingService.method.getBillableValue, {
    summary: 'Show charges and credits',
    required: ['from_day', 'until_day'],
    example: '--from-day 2026-01-01 --until-day 2026-11-30 --by-month',
  }),
];

/**
 * The findings of one service. `sss reconcile` asks every service, and continues until each has compared everything.
 */
export const reconciliationOf: Declaration = declare(
  'reconciliation of',
  ReconciliationService.method.reconcile,
  {
    summary: 'Compare the records of one service with their source',
    columns: ['kind', 'what', 'target', 'repair', 'count', 'explanation', 'resume_token'],
    wide: ['count', 'explanation', 'resume_token'],
    notes: '`sss reconcile` compares every service, in as many calls as it takes.',
    example: '--service billing --since -24h',
  },
);

/** One command for each RPC that staff may call. A test fails for an RPC without one. */
export const allCommands: readonly Declaration[] = [
  ...accountCommands,
  ...approvalCommands,
  ...auditCommands,
  ...submissionCommands,
  ...peopleCommands,
  ...billingCommands,
  ...policyCommands,
  ...documentCommands,
  ...webhookCommands,
  ...figureCommands,
  reconciliationOf,
];

/** Descriptions of the nouns, as shown by `sss --help`. */
export const nouns: Readonly<Record<string, string>> = {
  accounts: 'Manage supplier accounts, permissions and terms',
  terms: 'Schedule thresholds and caps',
  credentials: 'Manage API credentials of suppliers',
  submissions: 'View, decide and return submissions',
  'pre-underwriting': 'Complete pre-underwriting reviews',
  applications: 'View Applications',
  people: 'Handle access requests, erasures and legal holds',
  parked: 'List and release parked work',
  billing: 'View and close the billing of submissions',
  prices: 'Manage prices',
  statements: 'View and close monthly statements',
  documents: 'Manage uploaded documents',
  endpoints: 'Manage webhook endpoints',
  approvals: 'Request, give and refuse approvals',
  audit: 'Search and export audit logs',
  reconciliation: 'Reconcile the records of one service',
  enquiries: 'Read enquiries (audited)',
  policies: 'Manage decision and pre-underwriting policies',
  figures: 'Show intake, delivery and billing figures by day',
  events: 'List, test and redeliver webhook events',
};
