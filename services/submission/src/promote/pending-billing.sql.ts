// SQL, because a page reads a bounded number of rows through a partial index.
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';

type Sql = Pick<pg.Pool, 'query'>;

/** Maximum submissions read for one page, including those filtered out. */
const MAX_READ = 5_000;
const MAX_COUNTED = 10_000;
/** Repeats the statuses of `submission_pending_billing_idx`, so that the planner can use it. */
const PENDING = 'w.billing_status = 1 AND w.status IN (2, 3, 4) AND w.status = 2';

/** An accepted submission whose billing is pending. */
export interface PendingSubmission {
  readonly id: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly billingModel: BillingModel;
  readonly receivedAt: Date;
}

/** Filters of pending submissions. Ids are in order of receipt. */
export interface PendingFilter {
  readonly accountId: AccountId | undefined;
  readonly before: SubmissionId;
}

/** Returns pending submissions after an id, at most `limit`, out of the next 5,000 in order of receipt, and the one after which the next page begins. */
export async function listPendingBilling(
  sql: Sql,
  { accountId, before }: PendingFilter,
  after: SubmissionId | undefined,
  limit: number,
) {
  const { rows } = await sql.query<{
    id: SubmissionId;
    account_id: AccountId | null;
    environment: Environment;
    billing_model: BillingModel;
    received_at: Date;
    read: string | null;
  }>({
    name: 'list-pending-billing',
    text: `WITH seen AS MATERIALIZED (
             SELECT w.id, w.account_id, w.environment, w.billing_model, w.received_at FROM submission w
              WHERE ${PENDING} AND w.id < $1 AND w.id > $2 ORDER BY w.id LIMIT ${MAX_READ})
           (SELECT *, NULL AS read FROM seen WHERE $3::uuid IS NULL OR account_id = $3 ORDER BY id LIMIT $4)
           UNION ALL
           (SELECT id, NULL, NULL, NULL, NULL, (SELECT count(*) FROM seen) FROM seen ORDER BY id DESC LIMIT 1)
           ORDER BY read NULLS FIRST, id`,
    values: [before, after ?? NO_ID, accountId, limit],
  });
  const submissions = rows.flatMap(({ id, account_id, environment, billing_model, received_at }) =>
    account_id === null
      ? []
      : [{ id, accountId: account_id, environment, billingModel: billing_model, receivedAt: received_at }],
  );
  const last = rows.find(({ account_id }) => account_id === null);
  if (submissions.length === limit) return { submissions, next: submissions.at(-1)?.id };
  return { submissions, next: Number(last?.read ?? 0) === MAX_READ ? last?.id : undefined };
}

/** Counts the pending submissions among the 10,000 that have been pending longest, with the oldest of them. */
export async function countPendingSubmissions(sql: Sql, { accountId, before }: PendingFilter) {
  const { rows } = await sql.query<{ seen: number; count: number; oldest: Date | null }>({
    name: 'count-pending-billing',
    text: `WITH seen AS MATERIALIZED (
             SELECT w.id, w.account_id, w.received_at FROM submission w
              WHERE ${PENDING} AND w.id < $1 ORDER BY w.id LIMIT ${MAX_COUNTED + 1}),
           counted AS (SELECT * FROM seen ORDER BY id LIMIT ${MAX_COUNTED})
           SELECT (SELECT count(*)::int FROM seen) AS seen, count(*)::int AS count, min(received_at) AS oldest
             FROM counted WHERE $2::uuid IS NULL OR account_id = $2`,
    values: [before, accountId],
  });
  const [found] = rows;
  if (!found) throw new Error('invariant violated: an aggregate without a row');
  return {
    count: found.count,
    isAtLeast: found.seen > MAX_COUNTED,
    oldestReceivedAt: found.oldest ?? undefined,
  };
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
