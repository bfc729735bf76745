import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import { columnMap } from '@supplier/lib/postgres';
import type {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '../domain/billing-decision.ts';
import type { Lead } from '../domain/lead.ts';

/** The columns of a lead. The first four never change. */
export const LEAD = columnMap<Lead>({
  submission_id: ['uuid', (lead) => lead.submissionId],
  account_id: ['uuid', (lead) => lead.accountId],
  environment: ['environment', (lead) => lead.environment],
  billing_model: ['billing_model', (lead) => lead.billingModel],
  billing_status: ['billing_status', (lead) => lead.billingStatus],
  billable_at: ['timestamptz', (lead) => lead.billableAt],
  not_billable_reason: ['not_billable_reason', (lead) => lead.notBillableReason],
  last_seen_version: ['bigint', (lead) => lead.lastSeenVersion],
  version: ['bigint', (lead) => lead.version],
});
export const LEAD_IDENTITY = ['submission_id', 'account_id', 'environment', 'billing_model'];

/** A row of `LEAD.names` as pg reads it. */
export interface LeadRow {
  readonly submission_id: SubmissionId;
  readonly account_id: AccountId;
  readonly environment: Environment;
  readonly billing_model: BillingModel;
  readonly billing_status: BillingStatus;
  readonly billable_at: Date | null;
  readonly not_billable_reason: NotBillableReason | null;
  readonly last_seen_version: string;
  readonly version: string;
}

export function leadOf(row: LeadRow): Lead {
  return {
    submissionId: row.submission_id,
    accountId: row.account_id,
    environment: row.environment,
    billingModel: row.billing_model,
    billingStatus: row.billing_status,
    billableAt: row.billable_at,
    notBillableReason: row.not_billable_reason,
    lastSeenVersion: BigInt(row.last_seen_version),
    version: BigInt(row.version),
  };
}
