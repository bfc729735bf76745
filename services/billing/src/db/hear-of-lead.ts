import { openingState } from '../domain/billing-decision.ts';
import type { Lead, LeadNews } from '../domain/lead.ts';
import type { Transaction } from './database.ts';

/**
 * The lead that the news is about as it now is, opened when this is the first news of it, and locked until the
 * transaction ends: whoever else has news of the same lead waits here.
 */
export async function hearOfLead(tx: Transaction, { lead, version }: LeadNews): Promise<Lead> {
  const opening = openingState(lead.environment);
  const [row] = await tx.$queryRaw<Pick<Lead, keyof typeof opening | 'version'>[]>`
    INSERT INTO lead (submission_id, account_id, environment, billing_model,
                      billing_status, not_billable_reason, heard_version, version)
    VALUES (${lead.submissionId}::uuid, ${lead.accountId}::uuid, ${lead.environment}::environment,
            ${lead.billingModel}::billing_model, ${opening.billingStatus}::billing_status,
            ${opening.notBillableReason}::not_billable_reason, ${version}, 0)
    ON CONFLICT (submission_id) DO UPDATE
      SET heard_version = GREATEST(lead.heard_version, EXCLUDED.heard_version)
    RETURNING billing_status::text AS "billingStatus", billable_at AS "billableAt",
              not_billable_reason::text AS "notBillableReason", version`;
  if (!row) throw new Error('an upsert returned no row');
  return { ...lead, ...row };
}
