import type { AccountId } from '@supplier/lib/text/ids';
import type { Context } from '../src/context.ts';
import type { Price } from '../src/model/price.ts';
import { insertPrice } from '../src/prices/prices.sql.ts';
import { inTransaction } from '../src/store/database.ts';
import { deliver, type Particulars, type Submission, submissionOf } from './submission-events.ts';

/** Charges the account for a submission that is billable at the given time. */
export async function charge(
  context: Pick<Context, 'pool'>,
  accountId: AccountId,
  at: string,
  more: Particulars = {},
): Promise<Submission> {
  const submission = submissionOf({ ...more, accountId, billableAt: new Date(at) });
  await deliver(context, submission.billable());
  return submission;
}

/** Sets a price in its own transaction. */
export const setPrice = ({ db }: Pick<Context, 'db'>, price: Price) =>
  inTransaction(db, (tx) => insertPrice(tx, price));

/**
 * Inserts `count` charges of October 2026 into the ledger, three per second, without events. A null `pence` leaves them
 * unpriced.
 */
export async function fillOctober(
  { pool }: Pick<Context, 'pool'>,
  accountId: AccountId,
  count: number,
  pence: number | null,
): Promise<void> {
  await pool.query(
    `INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id, statement_month, pence)
     SELECT gen_random_uuid(), gen_random_uuid(), $1, 'charge', 'accepted_submission',
            '2026-10-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 second', gen_random_uuid(), '2026-10-01', $3::int
       FROM generate_series(1, $2::int) AS n`,
    [accountId, count, pence],
  );
}

/** Returns the ledger lines of an account, including late prices, by time. */
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
