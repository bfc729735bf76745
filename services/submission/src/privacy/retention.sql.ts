// SQL, because the partial indexes of retention need literal states.
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';

const DAY_MS = 86_400_000;

/** How long applicants are kept, in days since the decision, or since receipt if there was none. */
export interface RetentionPeriods {
  readonly acceptedDays: number;
  readonly notAcceptedDays: number;
}

/**
 * Returns the times before which submissions are past their retention at `now`: decided before them, or received before
 * them and never decided.
 */
export function keptSince({ acceptedDays, notAcceptedDays }: RetentionPeriods, now: Date) {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return { accepted: before(acceptedDays), notAccepted: before(notAcceptedDays) };
}

type Sql = Pick<pg.Pool, 'query'>;

/** Submissions decided before these times, or received before and never decided, are past their retention. */
export interface KeptSince {
  readonly accepted: Date;
  readonly notAccepted: Date;
}

const NOT_PROTECTED = `NOT EXISTS (SELECT FROM legal_hold h WHERE h.submission_id = w.id)
  AND NOT EXISTS (SELECT FROM erasure_submission e WHERE e.submission_id = w.id AND e.completed_at IS NULL)`;

/** Each is read through a separate index, longest expired first. */
const SOURCES = [
  {
    since: 'w.decided_at',
    where: 'w.erased_at IS NULL AND w.status IN (3, 4) AND w.decided_at < $2',
  },
  {
    since: 'w.decided_at',
    where: 'w.erased_at IS NULL AND w.status IN (2, 5) AND w.decided_at < $1',
  },
  {
    since: 'w.received_at',
    where: 'w.erased_at IS NULL AND w.status = 1 AND w.awaits_staff AND w.received_at < $2',
  },
  // No submission waits that long for a decision by policy, unless its work has failed.
  {
    since: 'w.received_at',
    where:
      'w.erased_at IS NULL AND w.status = 1 AND NOT w.awaits_staff AND w.work_parked_at IS NOT NULL AND w.received_at < $2',
  },
];

/** Returns SQL for expired, unprotected submissions, with the column `since`, up to `limit` of each kind. */
function expired(columns: string, limit: string, more = ''): string {
  return SOURCES.map(
    ({ since, where }) =>
      `(SELECT ${columns}, ${since} AS since FROM submission w
         WHERE ${where} AND ${NOT_PROTECTED} ${more} ORDER BY ${since}, w.id LIMIT ${limit})`,
  ).join(' UNION ALL ');
}

export const FIND_EXPIRED = `SELECT id FROM (${expired('w.id', '$3')}) AS x ORDER BY since, id LIMIT $3`;

/** Returns up to `limit` submissions that retention may erase, longest expired first. */
export async function findExpired(
  sql: Sql,
  { accepted, notAccepted }: KeptSince,
  limit: number,
): Promise<SubmissionId[]> {
  const { rows } = await sql.query<{ id: SubmissionId }>({
    name: 'find-expired',
    text: FIND_EXPIRED,
    values: [accepted, notAccepted, limit],
  });
  return rows.map(({ id }) => id);
}

/** Counts the submissions still to be erased, except those whose legal hold staff must release first. */
export async function countUnfinished(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: number }>({
    name: 'count-unfinished-erasures',
    text: `SELECT count(*)::int AS count FROM erasure_submission e
            WHERE completed_at IS NULL AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.submission_id = e.submission_id)`,
  });
  return rows[0]?.count ?? 0;
}

/** The number of expired submissions by account, environment and month. */
export interface ExpiredGroup {
  readonly account_id: AccountId;
  readonly environment: Environment;
  readonly month: string;
  readonly accepted: boolean;
  readonly count: number;
}

const FIRST = 20;

/** Summarises what retention may erase, for all accounts or for one; each kind is counted up to `limit`. */
export async function summariseExpired(
  sql: Sql,
  { accepted, notAccepted }: KeptSince,
  accountId: AccountId | undefined,
  limit: number,
) {
  const values = [accepted, notAccepted, limit, accountId ?? null];
  const those = expired(
    'w.id, w.account_id, w.environment, w.status IN (2, 5) AS accepted',
    '$3',
    'AND ($4::uuid IS NULL OR w.account_id = $4)',
  );
  const [groups, first] = await Promise.all([
    sql.query<ExpiredGroup>({
      name: 'count-expired',
      text: `SELECT account_id, environment, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM') AS month, accepted,
                    count(*)::int AS count
               FROM (${those}) AS x GROUP BY 1, 2, 3, 4 ORDER BY 3, 1, 2, 4`,
      values,
    }),
    sql.query<{ id: SubmissionId }>({
      name: 'first-expired',
      text: `SELECT id FROM (${those}) AS x ORDER BY since, id LIMIT ${FIRST}`,
      values: [accepted, notAccepted, FIRST, accountId ?? null],
    }),
  ]);
  return { groups: groups.rows, firstIds: first.rows.map(({ id }) => id) };
}
