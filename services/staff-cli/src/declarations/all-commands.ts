import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { accountCommands } from './accounts.ts';
import { approvalCommands } from './approvals.ts';
import { auditCommands } from './audit.ts';
import { type Declaration, declare } from './declaration.ts';
import { documentCommands } from './documents.ts';
import { figureCommands } from './figures.ts';
import { moneyCommands } from './money.ts';
import { peopleCommands } from './people.ts';
import { policyCommands } from './policies.ts';
import { submissionCommands } from './submissions.ts';
import { webhookCommands } from './webhooks.ts';

/**
 * The findings of one service. `sss reconcile` asks every service, and continues until each has compared everything.
 */
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

/** One command for each RPC that staff may call. A test fails for an RPC without one. */
export const allCommands: readonly Declaration[] = [
  ...accountCommands,
  ...approvalCommands,
  ...auditCommands,
  ...submissionCommands,
  ...peopleCommands,
  ...moneyCommands,
  ...policyCommands,
  ...documentCommands,
  ...webhookCommands,
  ...figureCommands,
  reconciliationOf,
];

/** Descriptions of the nouns, as shown by `sss --help`. */
export const nouns: Readonly<Record<string, string>> = {
  accounts: 'suppliers, what they may do and under which terms',
  terms: 'thresholds and caps that are to hold from a time on',
  credentials: 'what suppliers authenticate with',
  submissions: 'what suppliers sent, and what was decided',
  'pre-underwriting': 'outcomes of pre-underwriting that was left to staff',
  applications: 'what an accepted submission became',
  people: 'applicants: found, exported, erased and held',
  parked: 'work that failed five times and waits for staff',
  leads: 'what is billed for a submission',
  prices: 'what a lead costs',
  statements: 'what a month of an account comes to',
  documents: 'files that suppliers uploaded',
  endpoints: 'where webhooks go',
  approvals: 'acts that a second person approves',
  audit: 'who did what, in the log of each service',
  reconciliation: 'whether records agree and events flow, service by service',
  enquiries: 'what an applicant stated: read for a purpose, and audited',
  policies: 'rules by which leads are decided and pre-underwritten',
  figures: 'how much came, what became of it, and how long that took, by day',
  events: 'webhook events and their delivery',
};
