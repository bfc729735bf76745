// SQL, because figures are grouped, and folded from notes in one statement.
import type { Days, Waited } from '@supplier/lib/rpc/figures';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Pool, PoolClient } from 'pg';
import type { EnvironmentName } from '../model/event.ts';

type Sql = Pick<Pool | PoolClient, 'query'>;

/** The scope of a count, by the day of recording. */
export interface DeliveryRange {
  readonly environment: EnvironmentName;
  readonly days: Days;
  readonly accountId: AccountId | undefined;
}

export interface DeliveryCounts {
  readonly recorded: number;
  readonly delivered: number;
  readonly at_first: number;
  readonly exhausted: number;
  readonly expired: number;
  readonly superseded: number;
  readonly dropped: number;
  readonly pending: number;
}

/** The account id of rows that cover all accounts. */
const ALL = '00000000-0000-0000-0000-000000000000';
const IN_RANGE = `environment = $1::environment AND day BETWEEN $2::date AND $3::date`;
const OF_ACCOUNT = `($4::uuid IS NULL OR account_id = $4)`;

const STATES = ['delivered', 'exhausted', 'expired', 'superseded', 'dropped', 'pending'] as const;
const COUNTS = STATES.map(
  (state) => `coalesce(sum(events) FILTER (WHERE state = '${state}'), 0)::float8 AS "${state}"`,
).join(', ');

/** Counts the events recorded within a range, by day. */
export async function countDeliveries(pool: Sql, range: DeliveryRange): Promise<Map<string, DeliveryCounts>> {
  const { rows } = await pool.query<DeliveryCounts & { day: string }>({
    name: 'count-deliveries',
    text: `SELECT day::text, sum(events)::float8 AS recorded, ${COUNTS},
                  coalesce(sum(events) FILTER (WHERE at_first), 0)::float8 AS at_first
             FROM (SELECT day, state, at_first, events FROM delivery_count WHERE ${IN_RANGE} AND ${OF_ACCOUNT}
                   UNION ALL
                   SELECT day, state, at_first, events FROM delivery_note
                    WHERE ${IN_RANGE} AND ${OF_ACCOUNT} AND wait IS NULL) AS r GROUP BY day`,
    values: valuesOf(range),
  });
  return new Map(rows.map((row) => [row.day, row]));
}

/** Counts the times from a change to the first attempt of its event, by the day of recording. */
export async function countFirstAttemptWaits(
  pool: Sql,
  range: DeliveryRange,
): Promise<(Waited & { readonly day: string })[]> {
  const { rows } = await pool.query<Waited & { day: string }>({
    name: 'count-first-attempt-waits',
    text: `SELECT day::text, wait, sum(events)::float8 AS count
             FROM (SELECT day, wait, events FROM first_attempt_wait_count
                    WHERE ${IN_RANGE} AND account_id = coalesce($4::uuid, '${ALL}')
                   UNION ALL
                   SELECT day, wait, events FROM delivery_note
                    WHERE ${IN_RANGE} AND ${OF_ACCOUNT} AND wait IS NOT NULL) AS r GROUP BY day, wait`,
    values: valuesOf(range),
  });
  return rows;
}

const valuesOf = ({ environment, days, accountId }: DeliveryRange) => [
  environment,
  days.from,
  days.until,
  accountId ?? null,
];

/**
 * Adds up to `max` notes to the counts, in one statement: an interrupted fold changes nothing, and each note is folded
 * once. Does nothing while another process folds. Resolves to how many notes were folded.
 */
export async function foldDeliveryNotes(sql: Sql, max: number): Promise<number> {
  const { rows } = await sql.query<{ folded: number }>({
    name: 'fold-deliveries',
    text: `
      WITH folded AS (
        DELETE FROM delivery_note
         WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('fold figures', 0)))
           AND ctid = ANY(ARRAY(SELECT ctid FROM delivery_note LIMIT $1)) RETURNING *),
      counted AS (
        INSERT INTO delivery_count AS c (environment, day, account_id, state, at_first, events)
        SELECT environment, day, account_id, state, at_first, sum(events) FROM folded WHERE wait IS NULL
         GROUP BY 1, 2, 3, 4, 5 HAVING sum(events) <> 0
        ON CONFLICT (environment, day, account_id, state, at_first)
          DO UPDATE SET events = c.events + excluded.events),
      waited AS (
        INSERT INTO first_attempt_wait_count AS c (environment, account_id, day, wait, events)
        SELECT environment, coalesce(account_id, '${ALL}'), day, wait, sum(events)
          FROM folded WHERE wait IS NOT NULL
         GROUP BY GROUPING SETS ((environment, account_id, day, wait), (environment, day, wait))
        HAVING sum(events) <> 0
        ON CONFLICT (environment, account_id, day, wait) DO UPDATE SET events = c.events + excluded.events)
      SELECT count(*)::int AS folded FROM folded`,
    values: [max],
  });
  return rows[0]?.folded ?? 0;
}
