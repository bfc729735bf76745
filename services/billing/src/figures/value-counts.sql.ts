// SQL, because figures are grouped, and folded from notes in one statement.
import type { Days } from '@supplier/lib/rpc/figures';
import type { AccountId } from '@supplier/lib/text/ids';
import type pg from 'pg';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** Counts of charged and credited lines, and their sums in pence. */
export interface ValueCounts {
  readonly charges: number;
  readonly credits: number;
  readonly charged: number;
  readonly credited: number;
  readonly unpriced: number;
}

/** Maximum number of accounts returned, by highest charges. */
const MAX_ACCOUNTS = 50;

type CountedRow = ValueCounts &
  (
    | { readonly period: string; readonly account_id: null }
    | { readonly period: null; readonly account_id: AccountId }
  );

/** Sums the lines of a range by day or month, and by the most-charged accounts, highest first. */
export async function countValue(
  pool: Sql,
  { days, isByMonth, accountId }: { days: Days; isByMonth: boolean; accountId: AccountId | undefined },
): Promise<{ byPeriod: Map<string, ValueCounts>; byAccount: Map<AccountId, ValueCounts> }> {
  const inRange = 'day BETWEEN $1::date AND $2::date AND ($3::uuid IS NULL OR account_id = $3)';
  const columns = 'day, account_id, kind, lines, pence, unpriced';
  const { rows } = await pool.query<CountedRow>({
    name: 'count-value',
    // Groups by day first, so that month names are computed from at most 366 rows instead of that many per account.
    text: `SELECT left(day::text, $4::int) AS period, account_id,
                  sum(charges)::float8 AS charges, sum(credits)::float8 AS credits,
                  sum(charged)::float8 AS charged, sum(credited)::float8 AS credited, sum(unpriced)::float8 AS unpriced
             FROM (SELECT day, account_id,
                          coalesce(sum(lines) FILTER (WHERE kind = 'charge'), 0) AS charges,
                          coalesce(sum(lines) FILTER (WHERE kind = 'credit'), 0) AS credits,
                          coalesce(sum(pence) FILTER (WHERE kind = 'charge'), 0) AS charged,
                          coalesce(sum(pence) FILTER (WHERE kind = 'credit'), 0) AS credited,
                          sum(unpriced) AS unpriced
                     FROM (SELECT ${columns} FROM value_count WHERE ${inRange}
                           UNION ALL
                           SELECT ${columns} FROM value_note WHERE ${inRange}) AS r
                    GROUP BY GROUPING SETS (day, account_id)) AS g
            GROUP BY 1, 2
            ORDER BY account_id IS NULL DESC, charged DESC, charges DESC, account_id LIMIT $5`,
    values: [
      days.from,
      days.until,
      accountId ?? null,
      isByMonth ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length,
      days.all.length + MAX_ACCOUNTS,
    ],
  });
  const byPeriod = new Map<string, ValueCounts>();
  const byAccount = new Map<AccountId, ValueCounts>();
  for (const row of rows) {
    if (row.period !== null) byPeriod.set(row.period, row);
    else if (byAccount.size < MAX_ACCOUNTS) byAccount.set(row.account_id, row);
  }
  return { byPeriod, byAccount };
}

/**
 * Folds up to `max` notes into the counts in one statement: an interrupted fold does nothing, and each note is folded
 * exactly once. Does nothing while another process folds. Resolves to the number of folded notes.
 */
export async function foldValueNotes(sql: Sql, max: number): Promise<number> {
  const { rows } = await sql.query<{ folded: number }>({
    name: 'fold-value',
    text: `
      WITH folded AS (
        DELETE FROM value_note
         WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('fold figures', 0)))
           AND ctid = ANY(ARRAY(SELECT ctid FROM value_note LIMIT $1)) RETURNING *),
      counted AS (
        INSERT INTO value_count AS c (day, account_id, kind, lines, pence, unpriced)
        SELECT day, account_id, kind, sum(lines), sum(pence), sum(unpriced) FROM folded GROUP BY 1, 2, 3
        ON CONFLICT (day, account_id, kind) DO UPDATE
           SET lines = c.lines + excluded.lines, pence = c.pence + excluded.pence, unpriced = c.unpriced + excluded.unpriced)
      SELECT count(*)::int AS folded FROM folded`,
    values: [max],
  });
  return rows[0]?.folded ?? 0;
}
