// SQL, because counts are locked and added in sets.
import { enqueue } from '@supplier/lib/data/postgres';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import { capKey, isCapped, type UndecidedSubmission } from '../model/decide-all.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import type { AcceptedCounts } from '../model/policy/decision-policy.ts';

// Acceptances of an account per day. Caps are checked against these few rows instead of the submissions.

/**
 * Counts the acceptances of capped accounts in the UTC day and month of `now`. From here to the end of the transaction,
 * decisions of a capped account are serialised, so that a cap is exact for concurrent submissions.
 */
export async function countAccepted(
  tx: pg.PoolClient,
  submissions: readonly UndecidedSubmission[],
  now: Date,
): Promise<Map<string, AcceptedCounts>> {
  const capped = new Map(
    submissions.flatMap(({ matchable, terms }) =>
      isCapped(terms.caps) ? [[capKey(matchable), matchable] as const] : [],
    ),
  );
  if (capped.size === 0) return new Map();
  const accounts = [...capped.keys()].sort();
  enqueue(tx, {
    name: 'lock-caps',
    text: "SELECT pg_advisory_xact_lock(hashtextextended('cap/' || k, 0)) FROM unnest($1::text[]) AS u(k)",
    values: [accounts],
  });
  const { rows } = await tx.query<{ key: string; today: number; month: number }>({
    name: 'count-accepted',
    text: `SELECT account_id || '/' || environment AS key, sum(accepted)::int AS month,
                  coalesce(sum(accepted) FILTER (WHERE day = $3::date), 0)::int AS today
             FROM acceptance_count
            WHERE (account_id, environment) IN (SELECT * FROM unnest($1::uuid[], $2::smallint[]))
              AND day >= date_trunc('month', $3::date)::date AND day <= $3::date GROUP BY 1`,
    values: [
      [...capped.values()].map(({ accountId }) => accountId),
      [...capped.values()].map(({ environment }) => environment),
      now.toISOString().slice(0, 10),
    ],
  });
  return new Map(rows.map(({ key, today, month }) => [key, { today, thisMonth: month }]));
}

/** Returns the acceptances of these accounts in the UTC day and month of `now`; accounts without any are left out. */
export async function acceptedOf(
  pool: Pick<pg.Pool, 'query'>,
  accountIds: readonly AccountId[],
  environment: Environment,
  now: Date,
): Promise<ReadonlyMap<AccountId, AcceptedCounts>> {
  const { rows } = await pool.query<{ account_id: AccountId; today: number; month: number }>({
    name: 'accepted-of-accounts',
    text: `SELECT account_id, sum(accepted)::int AS month,
                  coalesce(sum(accepted) FILTER (WHERE day = $3::date), 0)::int AS today
             FROM acceptance_count
            WHERE account_id = ANY($1::uuid[]) AND environment = $2
              AND day >= date_trunc('month', $3::date)::date AND day <= $3::date GROUP BY 1`,
    values: [accountIds, environment, now.toISOString().slice(0, 10)],
  });
  return new Map(rows.map(({ account_id, today, month }) => [account_id, { today, thisMonth: month }]));
}

/** Adds accepted leads to the counts of their accounts and UTC days. */
export function addAccepted(tx: pg.PoolClient, accepted: readonly LockedSubmission[]): void {
  enqueue(tx, {
    name: 'count-accepted-submissions',
    // Different connections seldom share a slot, so concurrent transactions seldom wait for each other here.
    text: `INSERT INTO acceptance_count AS c (account_id, environment, day, slot, accepted)
           SELECT account_id, environment, day, pg_backend_pid() % 16, count(*)
             FROM unnest($1::uuid[], $2::smallint[], $3::date[]) AS g(account_id, environment, day)
            GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
           ON CONFLICT (account_id, environment, day, slot) DO UPDATE SET accepted = c.accepted + excluded.accepted`,
    values: [
      accepted.map(({ state }) => state.accountId),
      accepted.map(({ state }) => state.environment),
      accepted.map(({ state }) => state.decidedAt?.toISOString().slice(0, 10)),
    ],
  });
}

/**
 * Deletes the counts of days before the month preceding that of `now` (UTC), up to `max` rows. Caps need no days before
 * the first of the current month. Resolves to the number of deleted rows.
 */
export async function deleteOldCounts(pool: pg.Pool, now: Date, max: number): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'delete-old-acceptance-counts',
    text: `DELETE FROM acceptance_count WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM acceptance_count
              WHERE day < date_trunc('month', $1::date)::date - interval '1 month' LIMIT $2))`,
    values: [now.toISOString().slice(0, 10), max],
  });
  return rowCount ?? 0;
}
