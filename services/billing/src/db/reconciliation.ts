import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type pg from 'pg';
import type { BillingStatus } from '../domain/billing-decision.ts';
import type { OnLedger } from '../domain/reconciliation.ts';

/** What the ledger has of submissions; nothing of those that billing has no lead for. */
export async function findOnLedger(
  pool: Pick<pg.Pool, 'query'>,
  submissionIds: readonly SubmissionId[],
): Promise<Map<SubmissionId, OnLedger>> {
  const { rows } = await pool.query<{
    submission_id: SubmissionId;
    account_id: AccountId;
    billing_status: BillingStatus;
    billable_at: Date | null;
    charges: number;
    credits: number;
    charged_at: Date | null;
  }>(
    `SELECT l.submission_id, l.account_id, l.billing_status, l.billable_at,
            count(*) FILTER (WHERE e.kind = 'charge')::int AS charges,
            count(*) FILTER (WHERE e.kind = 'credit')::int AS credits,
            min(e.occurred_at) FILTER (WHERE e.kind = 'charge') AS charged_at
       FROM lead l LEFT JOIN ledger_entry e ON e.submission_id = l.submission_id
      WHERE l.submission_id = ANY($1::uuid[]) GROUP BY l.submission_id`,
    [submissionIds],
  );
  return new Map(
    rows.map((row) => [
      row.submission_id,
      {
        accountId: row.account_id,
        billingStatus: row.billing_status,
        billableAt: row.billable_at,
        charges: row.charges,
        credits: row.credits,
        chargedAt: row.charged_at,
      },
    ]),
  );
}
