import type { SubmissionId } from '@supplier/lib/ids';
import type pg from 'pg';
import { LEAD_COLUMNS, type LeadRow } from './load-leads.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** Waits between comparisons of one lead, in minutes; the last one repeats. */
const AGAIN_AFTER_MINUTES = [2, 10, 60, 360, 1440];
const DUE = `w.billing_status = 1 AND w.status IN (2, 3, 4) AND w.billing_due_at <= clock_timestamp()`;

/** Decided leads whose billing is still pending, due to be compared, longest due first. */
export async function findBillingChecks(pool: Sql, max: number): Promise<SubmissionId[]> {
  const { rows } = await pool.query<{ id: SubmissionId }>({
    name: 'find-billing-checks',
    text: `SELECT w.id FROM submission w WHERE ${DUE} ORDER BY w.billing_due_at, w.id LIMIT $1`,
    values: [max],
  });
  return rows.map(({ id }) => id);
}

/** Locks those that are still due, skipping what another process is working on. */
export async function lockBillingChecks(tx: pg.PoolClient, ids: readonly SubmissionId[]): Promise<LeadRow[]> {
  const { rows } = await tx.query<LeadRow>({
    name: 'lock-billing-checks',
    text: `SELECT ${LEAD_COLUMNS} FROM submission w LEFT JOIN application a ON a.submission_id = w.id
            WHERE w.id = ANY($1::uuid[]) AND ${DUE} ORDER BY w.id FOR NO KEY UPDATE OF w SKIP LOCKED`,
    values: [ids],
  });
  return rows;
}

/** Notes that leads have been compared, and lengthens the wait until the next time. */
export async function deferBillingCheck(sql: Sql, ids: readonly SubmissionId[]): Promise<void> {
  await sql.query({
    name: 'defer-billing-check',
    text: `UPDATE submission
              SET billing_checks = billing_checks + 1,
                  billing_due_at = clock_timestamp() + interval '1 minute'
                    * ($2::int[])[least(billing_checks + 1, ${AGAIN_AFTER_MINUTES.length})]
            WHERE id = ANY($1::uuid[]) AND billing_due_at IS NOT NULL`,
    values: [ids, AGAIN_AFTER_MINUTES],
  });
}
