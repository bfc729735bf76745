import type { AccountId } from '@supplier/lib/ids';
import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import type { Context } from '../src/context.ts';
import { deliver, type Particulars, type Submission, submissionOf } from './submission-events.ts';

/** A submission of an account under `accepted_submission` that is charged for when it is accepted, at `decidedAt`. */
export function leadOf(accountId: AccountId, decidedAt: string, more: Particulars = {}): Submission {
  const particulars = { ...more, accountId, decidedAt: new Date(decidedAt) };
  return submissionOf(BillingModel.ACCEPTED_SUBMISSION, Environment.PRODUCTION, particulars);
}

/** Has a lead of the account charged for at that time. */
export async function charge(
  context: Pick<Context, 'pool'>,
  accountId: AccountId,
  at: string,
  more: Particulars = {},
): Promise<Submission> {
  const lead = leadOf(accountId, at, more);
  await deliver(context, lead.accepted());
  return lead;
}

/** Puts so many charges of October 2026 into the ledger, three in a second, without events; null is no price. */
export async function fillOctober(
  { pool }: Pick<Context, 'pool'>,
  accountId: AccountId,
  count: number,
  pence: number | null,
): Promise<void> {
  await pool.query(
    `WITH made AS (
       INSERT INTO lead (submission_id, account_id, environment, billing_model, billing_status, billable_at, version, last_seen_version)
       SELECT gen_random_uuid(), $1, 'production', 'accepted_submission', 'billable',
              '2026-10-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 second', 1, 1
         FROM generate_series(1, $2::int) AS n RETURNING submission_id, billable_at)
     INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id, statement_month, pence)
     SELECT gen_random_uuid(), submission_id, $1, 'charge', 'accepted_submission', billable_at, gen_random_uuid(),
            '2026-10-01', $3::int FROM made`,
    [accountId, count, pence],
  );
}

/** The lines of an account as they lie in the ledger, late prices included, by time. */
export async function linesOf({ pool }: Pick<Context, 'pool'>, accountId: AccountId) {
  const { rows } = await pool.query<{ kind: string; pence: number | null; month: string }>(
    `SELECT e.kind, COALESCE(e.pence, l.pence) AS pence,
            to_char(COALESCE(e.statement_month, date_trunc('month', e.occurred_at AT TIME ZONE 'UTC')), 'YYYY-MM') AS month
       FROM ledger_entry e LEFT JOIN line_price l ON l.entry_id = e.id
      WHERE e.account_id = $1 ORDER BY e.occurred_at, e.kind`,
    [accountId],
  );
  return rows;
}
