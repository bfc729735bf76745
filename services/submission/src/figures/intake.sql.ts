// SQL, because figures are grouped, and folded from notes in one statement.
import type { Days, Waited } from '@supplier/lib/rpc/figures';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** The submissions to count, by day of receipt. */
export interface IntakeRange {
  readonly environment: Environment;
  readonly days: Days;
  readonly accountId: AccountId | undefined;
}

export interface OutcomeCounts {
  readonly received: number;
  readonly undecided: number;
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
  readonly returned: number;
}

/** Maximum accounts listed separately, those with the most submissions. */
const MAX_ACCOUNTS = 50;
/** The account id of rows that cover all accounts. */
const ALL = '00000000-0000-0000-0000-000000000000';

const IN_RANGE = 'environment = $1 AND day BETWEEN $2::date AND $3::date';

/** Folded counts and later notes within a range. */
const RANGE = `
  SELECT day, account_id, status, submissions FROM intake_count WHERE ${IN_RANGE} AND ($4::uuid IS NULL OR account_id = $4)
  UNION ALL
  SELECT day, account_id, status, sum(submissions) FROM intake_note
   WHERE ${IN_RANGE} AND ($4::uuid IS NULL OR account_id = $4) GROUP BY 1, 2, 3`;

const COUNTS = `sum(submissions)::float8 AS received,
  coalesce(sum(submissions) FILTER (WHERE status = 1), 0)::float8 AS undecided,
  coalesce(sum(submissions) FILTER (WHERE status = 2), 0)::float8 AS accepted,
  coalesce(sum(submissions) FILTER (WHERE status = 3), 0)::float8 AS duplicate,
  coalesce(sum(submissions) FILTER (WHERE status = 4), 0)::float8 AS rejected,
  coalesce(sum(submissions) FILTER (WHERE status = 5), 0)::float8 AS returned`;

type CountedRow = OutcomeCounts &
  (
    | { readonly day: string; readonly account_id: null }
    | { readonly day: null; readonly account_id: AccountId }
  );

/** Counts the submissions received within a range by day and by account, largest accounts first. */
export async function countIntake(
  pool: Sql,
  range: IntakeRange,
): Promise<{ byDay: Map<string, OutcomeCounts>; byAccount: Map<AccountId, OutcomeCounts> }> {
  const { rows } = await pool.query<CountedRow>({
    name: 'count-intake',
    text: `SELECT day::text, account_id, ${COUNTS} FROM (${RANGE}) AS r GROUP BY GROUPING SETS (day, account_id)
            ORDER BY account_id IS NULL DESC, received DESC, account_id LIMIT $5`,
    values: [...valuesOf(range), range.days.all.length + MAX_ACCOUNTS],
  });
  const byDay = new Map<string, OutcomeCounts>();
  const byAccount = new Map<AccountId, OutcomeCounts>();
  for (const row of rows) {
    if (row.day !== null) byDay.set(row.day, row);
    else if (byAccount.size < MAX_ACCOUNTS && row.received > 0) byAccount.set(row.account_id, row);
  }
  return { byDay, byAccount };
}

export async function countDecisionWaits(
  pool: Sql,
  range: IntakeRange,
): Promise<(Waited & { readonly day: string })[]> {
  const { rows } = await pool.query<Waited & { day: string }>({
    name: 'count-decision-waits',
    text: `SELECT day::text, wait, sum(submissions)::float8 AS count FROM (
             SELECT day, wait, submissions FROM decision_wait_count WHERE ${IN_RANGE} AND account_id = coalesce($4::uuid, '${ALL}')
             UNION ALL
             SELECT day, wait, submissions FROM intake_note
              WHERE ${IN_RANGE} AND wait IS NOT NULL AND ($4::uuid IS NULL OR account_id = $4)) AS r
            GROUP BY day, wait`,
    values: valuesOf(range),
  });
  return rows;
}

const valuesOf = ({ environment, days, accountId }: IntakeRange) => [
  environment,
  days.from,
  days.until,
  accountId ?? null,
];

/**
 * Folds up to `max` notes into the counts, in one statement: an interrupted fold changes nothing, and each note is
 * folded once. Does nothing while another process is folding. Resolves to the number of folded notes.
 */
export async function foldIntake(sql: Sql, max: number): Promise<number> {
  const { rows } = await sql.query<{ folded: number }>({
    name: 'fold-intake',
    text: `
      WITH folded AS (
        DELETE FROM intake_note
         WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('fold figures', 0)))
           AND ctid = ANY(ARRAY(SELECT ctid FROM intake_note LIMIT $1)) RETURNING *),
      counted AS (
        INSERT INTO intake_count AS c (environment, day, account_id, status, submissions)
        SELECT environment, day, account_id, status, sum(submissions) FROM folded
         GROUP BY 1, 2, 3, 4 HAVING sum(submissions) <> 0
        ON CONFLICT (environment, day, account_id, status) DO UPDATE SET submissions = c.submissions + excluded.submissions),
      waited AS (
        INSERT INTO decision_wait_count AS c (environment, account_id, day, wait, submissions)
        SELECT environment, coalesce(account_id, '${ALL}'), day, wait, sum(submissions) FROM folded WHERE wait IS NOT NULL
         GROUP BY GROUPING SETS ((environment, account_id, day, wait), (environment, day, wait)) HAVING sum(submissions) <> 0
        ON CONFLICT (environment, account_id, day, wait) DO UPDATE SET submissions = c.submissions + excluded.submissions)
      SELECT count(*)::int AS folded FROM folded`,
    values: [max],
  });
  return rows[0]?.folded ?? 0;
}
